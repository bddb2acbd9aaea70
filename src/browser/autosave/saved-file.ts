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

/** What names a save, before its size is known. */
export type SaveName = Omit<SavedVersion, 'bytes'>;

type Sha256 = (text: string) => Promise<string>;

const sumLength = 64;
const head = (sum: string): string => `{"sum":"${sum}",`;

/** `json` is the document as JSON. */
export async function encodeSavedFile(name: SaveName, json: string, sha256: Sha256): Promise<string> {
  const rest = `${JSON.stringify(name).slice(1, -1)},"document":${json}}`;
  return head(await sha256(rest)) + rest;
}

/** Undefined when the text does not prove itself. */
export async function decodeSavedFile(text: string, bytes: number, sha256: Sha256): Promise<SavedFile | undefined> {
  const rest = text.slice(head('').length + sumLength);
  return rest && text === head(await sha256(rest)) + rest ? { ...JSON.parse(text), bytes } : undefined;
}

/** Without the document. */
export function versionOf({ token, seq, time, bytes }: SavedVersion): SavedVersion {
  return { token, seq, time, bytes };
}
