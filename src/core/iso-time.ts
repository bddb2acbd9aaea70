/** A time in ms since 1970 as ISO 8601 text in UTC. */
export function isoTime(ms: number): string {
  // biome-ignore lint/style/noRestrictedGlobals: it formats the number it is given and reads no clock.
  return new Date(ms).toISOString();
}
