/** Durations as people write them: 500ms, 30s, 5m, 2h, 1d. */
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds, or undefined: not a duration. A bare number is refused, since nobody agrees on its unit. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h|d)$/.exec(text.trim());
  if (!match) return undefined;
  return Number(match[1]) * (unitMs[match[2] ?? ''] ?? Number.NaN);
}

/** The shortest exact form of a whole number of milliseconds, else seconds with one digit. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  for (const unit of ['d', 'h', 'm', 's']) {
    const size = unitMs[unit] ?? 1;
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${(ms / 1_000).toFixed(1)}s`;
}
