/**
 * Turns chunks of bytes into lines of text. A line that never ends is given out in pieces, so that memory stays
 * bounded; a character that lies on two chunks stays whole.
 */
import { StringDecoder } from 'node:string_decoder';

export interface LineSplitter {
  /** Complete lines, without their ends. */
  push(chunk: Uint8Array): readonly string[];
  /** What is left when the stream has ended. */
  end(): readonly string[];
}

/** A longer line is no line for people; programs that write such output get it in pieces. */
export const lineCharsMax = 16_384;

export function createLineSplitter(maxChars: number = lineCharsMax): LineSplitter {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const take = (text: string): readonly string[] => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    const found = lines.flatMap((line) => inPieces(line.endsWith('\r') ? line.slice(0, -1) : line, maxChars));
    while (rest.length > maxChars) {
      found.push(rest.slice(0, maxChars));
      rest = rest.slice(maxChars);
    }
    return found;
  };
  return {
    push: (chunk) => take(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))),
    end() {
      const found = take(decoder.end());
      const last = rest;
      rest = '';
      return last === '' ? found : [...found, last];
    },
  };
}

function inPieces(line: string, maxChars: number): string[] {
  if (line.length <= maxChars) return [line];
  const pieces: string[] = [];
  for (let at = 0; at < line.length; at += maxChars) pieces.push(line.slice(at, at + maxChars));
  return pieces;
}
