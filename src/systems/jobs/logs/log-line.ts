/** One line of a run's log, and the place after it from which reading goes on. */
export interface LogLine {
  readonly attempt: number;
  /** When it was stored, in milliseconds since 1970 by the database's clock. */
  readonly atMs: number;
  readonly text: string;
}

/** Lines stored together. Parts of one run are ordered by (attempt, part). */
export interface LogPart {
  readonly attempt: number;
  readonly part: number;
  readonly atMs: number;
  readonly lines: readonly string[];
}

/** Everything up to and with this line has been read. The same before and after a log was archived. */
export interface LogPlace {
  readonly attempt: number;
  readonly part: number;
  /** Lines of the part that were read. */
  readonly line: number;
}

export const logStart: LogPlace = { attempt: 0, part: 0, line: 0 };

/** `2.17.5`, for URLs. */
export function formatLogPlace({ attempt, part, line }: LogPlace): string {
  return `${attempt}.${part}.${line}`;
}

export function parseLogPlace(text: string): LogPlace | undefined {
  const [, attempt, part, line] = /^(\d{1,5})\.(\d{1,15})\.(\d{1,9})$/.exec(text) ?? [];
  if (attempt === undefined) return undefined;
  return { attempt: Number(attempt), part: Number(part), line: Number(line) };
}

/** Negative: `a` comes first. */
export function comparePlaces(a: Pick<LogPlace, 'attempt' | 'part'>, b: Pick<LogPlace, 'attempt' | 'part'>): number {
  return a.attempt - b.attempt || a.part - b.part;
}
