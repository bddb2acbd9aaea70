/** What of the runs page is in its address: the address is the only place where filters are. */
import { type RunState, stateOfSlug, stateSlug } from '../../parts/run-state.tsx';

export interface RunSearch {
  /** Slugs with commas: `failed,timed-out`. */
  readonly state?: string;
  readonly job?: string;
  readonly worker?: number;
  readonly epoch?: number;
  /** `24h`, `15m`, `7d`, or two moments: `1700000000000-1700003600000`. */
  readonly due?: string;
  /** `order.id=5` */
  readonly payload?: string;
}

export type FilterName = keyof RunSearch;

const spans: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export function runSearch(search: Record<string, unknown>): RunSearch {
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' || typeof value === 'number'
      ? String(value).trim().slice(0, 1_000) || undefined
      : undefined;
  const whole = (value: unknown): number | undefined => {
    const number = Number(value);
    return value !== '' && Number.isSafeInteger(number) && number > 0 ? number : undefined;
  };
  const states = text(search.state)
    ?.split(',')
    .flatMap((slug) => stateOfSlug(slug.trim()) ?? []);
  const due = text(search.due);
  const payload = text(search.payload);
  return clean({
    state: states?.length ? [...new Set(states)].map(stateSlug).join(',') : undefined,
    job: text(search.job)?.slice(0, 200),
    worker: whole(search.worker),
    epoch: whole(search.epoch),
    due: due !== undefined && rangeOf(due, 0) ? due : undefined,
    payload: payload !== undefined && /^[^=]+=/.test(payload) ? payload : undefined,
  });
}

export function statesOf({ state }: RunSearch): readonly RunState[] {
  return state?.split(',').flatMap((slug) => stateOfSlug(slug) ?? []) ?? [];
}

export interface TimeRange {
  readonly fromMs: number;
  /** Undefined: up to now. */
  readonly toMs?: number;
}

export function rangeOf(due: string, nowMs: number): TimeRange | undefined {
  const span = /^(\d{1,5})([mhd])$/.exec(due);
  if (span) return { fromMs: nowMs - Number(span[1]) * (spans[span[2] ?? ''] ?? 0) };
  const moments = /^(\d{1,14})-(\d{1,14})$/.exec(due);
  if (!moments || Number(moments[2]) <= Number(moments[1])) return undefined;
  return { fromMs: Number(moments[1]), toMs: Number(moments[2]) };
}

/** As the API asks for it. Payloads are searched in the last day unless another time is chosen. */
export function queryOf(search: RunSearch, nowMs: number): Record<string, string> {
  const { job, worker, epoch, payload } = search;
  const due = search.due ?? (payload === undefined ? undefined : '24h');
  const range = due === undefined ? undefined : rangeOf(due, nowMs);
  const states = statesOf(search);
  return {
    ...(states.length > 0 && { state: states.join(',') }),
    ...(job !== undefined && { job }),
    ...(worker !== undefined && { workerId: String(worker) }),
    ...(epoch !== undefined && { leaderEpoch: String(epoch) }),
    ...(range && { fromMs: String(range.fromMs) }),
    ...(range?.toMs !== undefined && { toMs: String(range.toMs) }),
    ...(payload !== undefined && { payload }),
  };
}

/** One word of the filter field: `job:name`, `payload.a.b=c`. Undefined: not a filter. */
export function parseFilter(text: string): RunSearch | undefined {
  const word = text.trim();
  const payload = /^payload\.(.+=.*)$/s.exec(word)?.[1];
  const pair = /^(state|job|worker|epoch|due):(.+)$/s.exec(word);
  const given = payload !== undefined ? { payload } : pair ? { [pair[1] ?? '']: pair[2] } : undefined;
  const parsed = given && runSearch(given);
  return parsed && Object.keys(parsed).length > 0 ? parsed : undefined;
}

export function without(search: RunSearch, name: FilterName): RunSearch {
  return clean({ ...search, [name]: undefined });
}

function clean(search: { readonly [Name in FilterName]?: RunSearch[Name] | undefined }): RunSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}
