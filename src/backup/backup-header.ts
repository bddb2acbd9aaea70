/**
 * A backup is gzip of lines, each a JSON value. Format 1:
 *
 *   {"kannuki":"backup","format":1, …}      the header: who wrote it, when, the migrations the tables were made by
 *   {"table":"job_runs","columns":[…]}      a table begins
 *   ["1","a",null]                          a row: each value as PostgreSQL writes it as text
 *   {"sequences":[…]}                       where the sequences stand
 *   {"end":true,"rows":7,"sha256":"…"}      the last line, with the sum of every byte before it
 *
 * Values are text because text is what every version of PostgreSQL reads back exactly: 64-bit numbers, microseconds,
 * and JSON with its white space. A reader refuses a higher format, and a file without its last line.
 */
import { createHash, type Hash } from 'node:crypto';
import type { RecordedMigration } from '../engine/migrate.ts';

export const backupFormat = 1;

export interface BackupHeader {
  readonly kannuki: 'backup';
  readonly format: number;
  /** Of the package that wrote it. */
  readonly version: string;
  /** Wall clock of the database, RFC 3339. */
  readonly takenAt: string;
  /** The same clock, by which tokens are made, in µs. */
  readonly clockUs: number;
  /** For people: which database it was. */
  readonly source: string;
  /** What the tables were made by. */
  readonly migrations: readonly RecordedMigration[];
}

export interface TableLine {
  readonly table: string;
  readonly columns: readonly string[];
}

export interface SequenceState {
  readonly name: string;
  /** The last number given out; null = none yet. */
  readonly last: string | null;
}

export interface EndLine {
  readonly end: true;
  readonly rows: number;
  readonly sha256: string;
}

/** Collects lines into chunks and sums what passes. */
export interface LineSum {
  add(line: string): string;
  digest(): string;
}

export function sumLines(): LineSum {
  const hash: Hash = createHash('sha256');
  return {
    add(line) {
      const text = `${line}\n`;
      hash.update(text);
      return text;
    },
    digest: () => hash.digest('hex'),
  };
}
