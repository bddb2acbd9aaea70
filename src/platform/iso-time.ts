/** A time in ms since 1970 as ISO 8601 text in UTC. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
