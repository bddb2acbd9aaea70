/** One line of the doctor: what was looked at, what was found, and what to do about it. */
export interface Finding {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** Absent when it is well. */
  readonly fix?: string;
}

export const ok = (name: string, detail: string): Finding => ({ name, status: 'ok', detail });
export const warn = (name: string, detail: string, fix: string): Finding => ({ name, status: 'warn', detail, fix });
export const fail = (name: string, detail: string, fix: string): Finding => ({ name, status: 'fail', detail, fix });

/** The sentence of whatever was thrown. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
