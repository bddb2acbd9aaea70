/**
 * Dates of the Gregorian calendar and milliseconds, without a zone: a wall-clock time is kept as the milliseconds it
 * would have in UTC. Days are counted in eras of 400 years that begin in March, so that leap days come last.
 */
const dayMs = 86_400_000;
const eraDays = 146_097;

export interface CivilTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

export function civilToMs({ year, month, day, hour, minute, second }: CivilTime): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  const days = era * eraDays + dayOfEra - 719_468;
  return days * dayMs + ((hour * 60 + minute) * 60 + second) * 1_000;
}

export function civilFromMs(ms: number): CivilTime {
  const days = Math.floor(ms / dayMs);
  const seconds = Math.floor((ms - days * dayMs) / 1_000);
  const shifted = days + 719_468;
  const era = Math.floor(shifted / eraDays);
  const dayOfEra = shifted - era * eraDays;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
    hour: Math.floor(seconds / 3_600),
    minute: Math.floor(seconds / 60) % 60,
    second: seconds % 60,
  };
}

/** `2026-03-08T02:30:00`: sorts as text. */
export function formatCivil(ms: number): string {
  const { year, month, day, hour, minute, second } = civilFromMs(ms);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}`;
}

const instantPattern =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3})\d*)?)?(Z|([+-])(\d{2}):?(\d{2}))$/i;

/** Milliseconds of an ISO 8601 instant, or undefined when the text is none (a day that does not exist, no offset). */
export function parseInstant(text: string): number | undefined {
  const parts = instantPattern.exec(text);
  if (!parts) return undefined;
  const at = (index: number): number => Number(parts[index] ?? 0);
  const civil = { year: at(1), month: at(2), day: at(3), hour: at(4), minute: at(5), second: at(6) };
  const ms = civilToMs(civil);
  const exists = formatCivil(ms) === `${parts[1]}-${parts[2]}-${parts[3]}T${parts[4]}:${parts[5]}:${parts[6] ?? '00'}`;
  if (!exists || at(10) > 23 || at(11) > 59) return undefined;
  const offsetMs = (at(10) * 60 + at(11)) * 60_000 * (parts[9] === '-' ? -1 : 1);
  return ms + Number((parts[7] ?? '0').padEnd(3, '0')) - offsetMs;
}
