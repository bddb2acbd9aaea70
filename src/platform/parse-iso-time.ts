/** Ms since 1970 of an ISO 8601 text with a zone, as `isoTime` writes it; undefined: it is none. */
export function parseIsoTime(text: unknown): number | undefined {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/.test(text)) {
    return undefined;
  }
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
