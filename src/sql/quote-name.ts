/** A name as an identifier of SQL, whatever it contains: what cannot be a parameter is quoted, never pasted. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
