/**
 * The file of an archived log: text, one line of the log per line, compressed with gzip.
 *
 *   2026-03-08T02:30:00.125Z 1.17 what the handler said
 *
 * The time, attempt and part, then the line. The file is cut into pieces of about 256 KiB, each compressed by itself
 * and beginning with a new part, so that reading can begin in the middle; programs like `zcat` see one file.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import { JobError } from '../job-error.ts';
import { formatCivil, parseInstant } from '../schedule/civil-time.ts';
import { comparePlaces, type LogPart, type LogPlace } from './log-line.ts';

/** The part with which a piece begins, and its first byte in the file. */
export type SealedPlace = readonly [attempt: number, part: number, byte: number];

export interface SealedSummary {
  readonly lines: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly places: readonly SealedPlace[];
}

const pieceCharsMax = 262_144;
const compress = promisify(gzip);

/**
 * The bytes of the file; `summary` is complete when they have all been taken. It ends with an error, `log-changed`, when
 * there were more or fewer lines than expected: a file has the name of its length, and one that is there already must
 * not be written over by a shorter one.
 */
export function sealLog(
  parts: AsyncIterable<LogPart>,
  expectedLines: number,
): {
  readonly chunks: AsyncIterable<Uint8Array>;
  summary(): SealedSummary;
} {
  const hash = createHash('sha256');
  const places: SealedPlace[] = [];
  let lines = 0;
  let bytes = 0;
  const compressed = async (texts: readonly string[]): Promise<Uint8Array> => {
    const chunk = await compress(texts.join(''));
    hash.update(chunk);
    bytes += chunk.byteLength;
    return chunk;
  };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let texts: string[] = [];
    let chars = 0;
    for await (const part of parts) {
      if (chars >= pieceCharsMax) {
        yield await compressed(texts);
        texts = [];
        chars = 0;
      }
      if (texts.length === 0) places.push([part.attempt, part.part, bytes]);
      const text = partText(part);
      texts.push(text);
      chars += text.length;
      lines += part.lines.length;
    }
    if (lines !== expectedLines)
      throw new JobError(`The log has ${lines} lines instead of ${expectedLines}: it changed meanwhile.`, {
        code: 'log-changed',
        retryable: true,
      });
    yield await compressed(texts);
  }
  return { chunks: chunks(), summary: () => ({ lines, bytes, sha256: hash.copy().digest('hex'), places }) };
}

/** Where to begin reading so that nothing after `place` is missed. */
export function byteOfPlace(places: readonly SealedPlace[], place: LogPlace): number {
  let byte = 0;
  for (const [attempt, part, start] of places) {
    if (comparePlaces({ attempt, part }, place) > 0) break;
    byte = start;
  }
  return byte;
}

/** The parts of a file, or of the rest of one from the beginning of a piece. */
export async function* unsealLog(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LogPart> {
  let part: { attempt: number; part: number; atMs: number; lines: string[] } | undefined;
  for await (const line of linesOf(chunks)) {
    const [, time = '', attempt = '', number = '', text = ''] = /^(\S+) (\d+)\.(\d+) (.*)$/s.exec(line) ?? [];
    if (part && part.attempt === Number(attempt) && part.part === Number(number)) part.lines.push(text);
    else {
      if (part) yield part;
      part = { attempt: Number(attempt), part: Number(number), atMs: parseInstant(time) ?? 0, lines: [text] };
    }
  }
  if (part) yield part;
}

function partText({ attempt, part, atMs, lines }: LogPart): string {
  const whole = Math.floor(atMs);
  const time = `${formatCivil(whole)}.${String(whole - Math.floor(whole / 1_000) * 1_000).padStart(3, '0')}Z`;
  return lines.map((line) => `${time} ${attempt}.${part} ${line}\n`).join('');
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of gunzipped(chunks)) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** Ends early when the reader does, without reading the rest of the source. */
async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  // A failure of the source reaches the reader through the stream.
  const fed = pipeline(Readable.from(chunks), gunzip).catch(() => {});
  try {
    for await (const bytes of gunzip) yield bytes as Uint8Array;
  } finally {
    gunzip.destroy();
    await fed;
  }
}
