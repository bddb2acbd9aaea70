import { appendFileSync } from 'node:fs';

export interface ComponentLine {
  readonly component: string;
  readonly status: 'took part' | 'skipped';
  readonly reason?: string;
  /** This machine could have had it: CI fails on such a skip. */
  readonly avoidable?: boolean;
}

/** One line per real component, for the summary at the end of `npm test`. */
export function reportComponent(line: ComponentLine): void {
  const { KANNUKI_TEST_REPORT: file } = process.env;
  if (file) appendFileSync(file, `${JSON.stringify(line)}\n`);
}
