/** “2.7 s”, “16 s”, “3 min 33 s”, “2 h 5 min”: short, and never more exact than useful. */
export function formatLeft(ms: number): string {
  const seconds = Math.max(ms, 0) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function formatPercent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

/** The hour for today, with the day before that. */
export function formatMoment(ms: number, language: string): string {
  const at = new Date(ms);
  const today = new Date().toDateString() === at.toDateString();
  return new Intl.DateTimeFormat(language, {
    ...(today ? {} : { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  }).format(at);
}
