/** The log that fenced writes of one document left, in the order in which the server took them. */
export interface LoggedWrite {
  readonly token: number;
  readonly value: number;
}

export function parseLog(lines: readonly string[]): readonly LoggedWrite[] {
  return lines.map((line) => {
    const [token, value] = line.split(':').map(Number);
    if (token === undefined || value === undefined) throw new Error(`This is not a write: ${line}`);
    return { token, value };
  });
}

/**
 * What is wrong with it; undefined = nothing. Every holder writes what it read plus one, so values that are not
 * 1, 2, 3 … mean that two sections overlapped; tokens that do not rise mean that an older holder wrote after a newer.
 */
export function faultOfLog(writes: readonly LoggedWrite[]): string | undefined {
  for (const [i, { token, value }] of writes.entries()) {
    if (value !== i + 1) return `write ${i + 1} set ${value}: it had read what was overwritten meanwhile`;
    const before = writes[i - 1]?.token ?? 0;
    if (token <= before) return `write ${i + 1} has token ${token} after ${before}`;
  }
  return undefined;
}
