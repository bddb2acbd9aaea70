/**
 * Temporary files of earlier holders. A late rename of a dead tab must find nothing, so they go before anything is read.
 */
export function isStaleTemporary(name: string, token: number): boolean {
  return name.startsWith('.tmp-') && Number(name.split('-')[1]) < token;
}
