/**
 * A saved document proves itself: `{"sum":"<sha-256>","token":…,"seq":…,"time":…,"document":…}`, where the sum is that
 * of everything behind it, up to the end. A torn or altered file does not fit its sum.
 */
export interface SavedVersion {
  /** The fencing token of the lease it was saved under. */
  readonly token: number;
  /** Counts the saves of one lease. */
  readonly seq: number;
  /** When it was saved: milliseconds since 1970. */
  readonly time: number;
  /** Size of the file. */
  readonly bytes: number;
}

export interface SavedFile extends SavedVersion {
  readonly document: unknown;
}

type Sha256 = (text: string) => Promise<string>;

const sumLength = 64;
const head = (sum: string): string => `{"sum":"${sum}",`;

/** `json` is the document as JSON. */
export async function encodeSavedFile(
  { token, seq, time }: Omit<SavedVersion, 'bytes'>,
  json: string,
  sha256: Sha256,
): Promise<string> {
  const rest = `"token":${token},"seq":${seq},"time":${time},"document":${json}}`;
  return head(await sha256(rest)) + rest;
}

/** Undefined when the text does not prove itself. */
export async function decodeSavedFile(text: string, bytes: number, sha256: Sha256): Promise<SavedFile | undefined> {
  const rest = text.slice(head('').length + sumLength);
  if (!rest || text !== head(await sha256(rest)) + rest) return undefined;
  const { token, seq, time, document } = JSON.parse(text);
  return { token, seq, time, bytes, document };
}
