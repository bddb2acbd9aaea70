/** An instant for people and programs alike: ISO 8601 in UTC, to the second. */
export function formatTime(ms: number): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: 'UTC', dateStyle: 'short', timeStyle: 'medium' });
  return `${format.format(ms).replace(' ', 'T')}Z`;
}
