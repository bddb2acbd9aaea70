/**
 * Leases of one process, in memory. It keeps nothing over a restart; it is the reference: each method is one pure
 * decision of the core applied to a map, at the process's monotonic clock started from the wall clock.
 */
import { platform } from '#platform';
import { LeaseError } from '../../core/errors.ts';
import { followsPlace } from '../../core/follows-place.ts';
import { processOf } from '../../core/grant-id.ts';
import { emptyRecord, type Heir, type LeaseRecord, type LeaseRules, leaseRules } from '../../core/lease.ts';
import { limits } from '../../core/limits.ts';
import type { Clock, LeaseInfo, LeaseStore, LossCause, Notice } from '../../core/ports.ts';

export interface MemoryStoreOptions {
  /** @default the platform's clock */
  readonly clock?: Pick<Clock, 'monotonicMs' | 'wallMs'>;
  /** Replaced only to plant a broken rule in a simulation. @default the rules of the core */
  readonly rules?: LeaseRules;
}

/** Leases in this process's memory. */
export function memoryStore(options: MemoryStoreOptions = {}): LeaseStore {
  const { clock = platform.clock, rules = leaseRules } = options;
  const startWallMs = clock.wallMs();
  const startMonotonicMs = clock.monotonicMs();
  const nowUs = (): number => Math.floor((startWallMs + clock.monotonicMs() - startMonotonicMs) * 1000);

  const records = new Map<string, LeaseRecord>();
  const fences = new Map<string, number>();
  const breaks = new Map<string, LossCause>();
  const subscribers = new Map<string, Set<(notice: Notice) => void>>();
  let closed = false;

  const recordOf = (key: string): LeaseRecord => records.get(key) ?? emptyRecord;
  /** A free record whose numbers lie behind the clock need not be remembered: the clock keeps tokens rising. */
  const keep = (key: string, record: LeaseRecord): void => {
    if (record.holders.length === 0 && record.line.length === 0 && record.token < nowUs()) records.delete(key);
    else records.set(key, record);
  };
  const checkOpen = (): void => {
    if (closed) throw new LeaseError('This memory store was closed.', { code: 'closed' });
  };
  const tell = (owner: string, notice: Notice): void => {
    // Like a real store, a notice comes after the step that caused it, never inside it.
    for (const hear of subscribers.get(processOf(owner)) ?? []) queueMicrotask(() => hear(notice));
  };
  const tellHeirs = (key: string, heirs: readonly Heir[], acceptMs: number): void => {
    for (const heir of heirs) tell(heir.owner, { kind: 'granted', key, acceptMs, ...heir });
  };

  return {
    name: 'memory',
    capabilities: {
      line: true,
      shared: true,
      counted: true,
      several: true,
      fences: true,
      durable: { no: 'Memory ends with its process.' },
      network: { no: 'Memory belongs to one process.' },
    },
    async acquire(request) {
      checkOpen();
      const now = nowUs();
      const decision = rules.decideAcquire(recordOf(request.key), request, now);
      records.set(request.key, decision.record);
      if (decision.granted) return { granted: true, ...decision.numbers };
      const { holder } = decision;
      return {
        granted: false,
        token: decision.record.token,
        inLine: decision.inLine,
        ...(holder && { holder: holder.owner, remainingMs: (holder.endUs - now) / 1000 }),
      };
    },
    async acquireAll({ keys, owner, ttlMs }) {
      checkOpen();
      const now = nowUs();
      const decisions = keys.map((key) => rules.decideAcquire(recordOf(key), { owner, ttlMs, line: false }, now));
      const refused = decisions.findIndex((decision) => !decision.granted);
      const refusal = decisions[refused];
      if (refusal && !refusal.granted) {
        const { holder } = refusal;
        return {
          granted: false,
          key: keys[refused] ?? '',
          ...(holder && { holder: holder.owner, remainingMs: (holder.endUs - now) / 1000 }),
        };
      }
      const tokens = decisions.flatMap((decision, i) => {
        const key = keys[i];
        if (!decision.granted || key === undefined) return [];
        records.set(key, decision.record);
        return [{ key, ...decision.numbers }];
      });
      return { granted: true, tokens };
    },
    async renew(requests) {
      checkOpen();
      const now = nowUs();
      return requests.map((request) => {
        const renewed = rules.decideRenew(recordOf(request.key), request, now);
        if (renewed) records.set(request.key, renewed);
        return renewed !== undefined;
      });
    },
    async release(request) {
      checkOpen();
      const decision = rules.decideRelease(recordOf(request.key), request, nowUs());
      if (!decision) return false;
      keep(request.key, decision.record);
      tellHeirs(request.key, decision.heirs, request.acceptMs);
      return true;
    },
    async leave({ key, owner }) {
      checkOpen();
      const record = rules.decideLeave(recordOf(key), owner);
      if (record) records.set(key, record);
      return record !== undefined;
    },
    async breakLease({ key, reason, by, acceptMs }) {
      checkOpen();
      const decision = rules.decideBreak(recordOf(key), acceptMs, nowUs());
      if (!decision) return { broken: false };
      records.set(key, decision.record);
      for (const { owner, token } of decision.broken) {
        breaks.set(lossId(key, owner, token), { kind: 'broken', by, reason });
        if (breaks.size > limits.listMax) breaks.delete(breaks.keys().next().value ?? '');
        tell(owner, { kind: 'broken', key, owner });
      }
      tellHeirs(key, decision.heirs, acceptMs);
      return { broken: true, holders: decision.broken.map((holder) => holder.owner), token: decision.record.token };
    },
    async explainLoss({ key, owner, token }) {
      const broken = breaks.get(lossId(key, owner, token));
      if (broken) return broken;
      const [holder] = recordOf(key).holders.filter((other) => other.owner !== owner && other.endUs > nowUs());
      return holder ? { kind: 'taken', holder: holder.owner } : { kind: 'expired' };
    },
    async list({ prefix = '', after, limit }) {
      checkOpen();
      const now = nowUs();
      return [...records]
        .filter(([key]) => key.startsWith(prefix) && key >= (after?.key ?? ''))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([key, record]) => infoOf(key, record, now))
        .filter((info) => followsPlace(info, after))
        .slice(0, limit);
    },
    async claim({ resource, token }) {
      checkOpen();
      const decision = rules.decideClaim(fences.get(resource), token);
      fences.set(resource, decision.token);
      return decision;
    },
    async subscribe(process, onNotice) {
      checkOpen();
      const hearers = subscribers.get(process) ?? new Set();
      subscribers.set(process, hearers.add(onNotice));
      let live = true;
      return {
        isLive: () => live && !closed,
        async close() {
          live = false;
          hearers.delete(onNotice);
          if (hearers.size === 0) subscribers.delete(process);
        },
      };
    },
    async close() {
      closed = true;
      subscribers.clear();
    },
  };
}

function infoOf(key: string, record: LeaseRecord, nowUs: number): readonly LeaseInfo[] {
  return record.holders
    .filter((holder) => holder.endUs > nowUs)
    .map(({ owner, token, endUs, share }) => ({
      key,
      owner,
      token,
      remainingMs: (endUs - nowUs) / 1000,
      waiting: record.line.length,
      ...(share && { share }),
    }))
    .sort((a, b) => a.token - b.token);
}

function lossId(key: string, owner: string, token: number): string {
  return JSON.stringify([key, owner, token]);
}
