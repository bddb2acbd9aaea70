import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideCompletion, decideIdempotency, type IdempotencyRecord } from './idempotency.ts';

const now = 1_000_000_000;
const running: IdempotencyRecord = { fingerprint: 'f1', state: 'running', token: 7, owner: 'a', endUs: now + 400_500 };
const expired: IdempotencyRecord = { ...running, endUs: now };
const done: IdempotencyRecord = { ...running, state: 'done' };
const failed: IdempotencyRecord = { ...running, state: 'failed' };
const states = { running, expired, done, failed };

describe('decideIdempotency', () => {
  it('runs a key nobody has used, with the clock as its token', () => {
    expect(decideIdempotency(undefined, { fingerprint: 'f1', owner: 'b' }, now)).toEqual({ kind: 'fresh', token: now });
  });

  it.each(Object.keys(states) as (keyof typeof states)[])('refuses another input: %s', (state) => {
    expect(decideIdempotency(states[state], { fingerprint: 'f2', owner: 'b' }, now)).toEqual({ kind: 'reused' });
    expect(decideIdempotency(states[state], { fingerprint: 'f2', owner: 'a' }, now)).toEqual({ kind: 'reused' });
  });

  it('replays what is stored, success or failure', () => {
    expect(decideIdempotency(done, { fingerprint: 'f1', owner: 'b' }, now)).toEqual({ kind: 'replay', state: 'done' });
    expect(decideIdempotency(failed, { fingerprint: 'f1', owner: 'a' }, now)).toEqual({
      kind: 'replay',
      state: 'failed',
    });
  });

  it('says that it is in flight until the very end of the claim, and when to ask again', () => {
    const ask = (endUs: number) => decideIdempotency({ ...running, endUs }, { fingerprint: 'f1', owner: 'b' }, now);
    expect(ask(now + 400_500)).toEqual({ kind: 'in-flight', retryAfterMs: 401 });
    expect(ask(now + 60_000_000)).toEqual({ kind: 'in-flight', retryAfterMs: 1_000 });
    expect(ask(now + 1)).toEqual({ kind: 'in-flight', retryAfterMs: 1 });
    expect(ask(now)).toEqual({ kind: 'take-over', token: now });
  });

  it('takes over with a token above the last one, even if the clock is behind it', () => {
    expect(decideIdempotency({ ...expired, token: now + 5 }, { fingerprint: 'f1', owner: 'b' }, now)).toEqual({
      kind: 'take-over',
      token: now + 6,
    });
  });

  it('gives the same call its claim again, with the same token', () => {
    expect(decideIdempotency(running, { fingerprint: 'f1', owner: 'a' }, now)).toEqual({ kind: 'take-over', token: 7 });
    expect(decideIdempotency(expired, { fingerprint: 'f1', owner: 'a' }, now)).toEqual({ kind: 'take-over', token: 7 });
  });
});

describe('decideCompletion', () => {
  const claim = { fingerprint: 'f1', owner: 'a', token: 7 };

  it('accepts the claim that stands, also after its end', () => {
    expect(decideCompletion(running, claim, now)).toEqual({ kind: 'complete' });
    expect(decideCompletion(expired, claim, now)).toEqual({ kind: 'complete' });
  });

  it('refuses every other claim and answers with what is stored', () => {
    for (const other of [
      { ...claim, token: 6 },
      { ...claim, owner: 'b' },
    ]) {
      expect(decideCompletion(running, other, now)).toEqual({ kind: 'in-flight', retryAfterMs: 401 });
      expect(decideCompletion(expired, other, now)).toEqual({ kind: 'in-flight', retryAfterMs: 1 });
      expect(decideCompletion(done, other, now)).toEqual({ kind: 'replay', state: 'done', own: false });
      expect(decideCompletion(failed, other, now)).toEqual({ kind: 'replay', state: 'failed', own: false });
    }
  });

  it('recognises its own completion whose reply was lost', () => {
    expect(decideCompletion(done, claim, now)).toEqual({ kind: 'replay', state: 'done', own: true });
  });

  it('never answers with the record of another input, and says when nothing is left', () => {
    for (const record of Object.values(states)) {
      expect(decideCompletion({ ...record, fingerprint: 'f2' }, claim, now)).toEqual({ kind: 'reused' });
    }
    expect(decideCompletion(undefined, claim, now)).toEqual({ kind: 'gone' });
  });
});

// ---------------------------------------------------------------- random histories, and the planted bugs of the model

interface Rules {
  readonly decideIdempotency: typeof decideIdempotency;
  readonly decideCompletion: typeof decideCompletion;
  readonly loser: 'own' | 'stored';
  readonly onThrow: 'delete' | 'keep';
  readonly effect: 'outside' | 'transaction';
}

const rules: Rules = { decideIdempotency, decideCompletion, loser: 'stored', onThrow: 'keep', effect: 'transaction' };

/** Callers 0 and 1 send the same input, caller 2 another. Every execution would give an answer of its own. */
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('call' as const), caller: fc.nat(2) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('finish' as const), caller: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('throw' as const), caller: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), caller: fc.nat(2) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('expire' as const), caller: fc.constant(0) }) },
  ),
  { maxLength: 14 },
);

type Steps = typeof steps extends fc.Arbitrary<infer T> ? T : never;

/** Plays a history; returns what went wrong, if anything did. */
function play(
  { decideIdempotency, decideCompletion, loser, onThrow, effect }: Rules,
  history: Steps,
): string | undefined {
  let record: (IdempotencyRecord & { answer?: string; live: boolean }) | undefined;
  let clock = now;
  let owners = 0;
  const callers = [0, 1, 2].map((i) => ({
    fingerprint: i === 2 ? 'f2' : 'f1',
    claim: undefined as undefined | { fingerprint: string; owner: string; token: number },
  }));
  /** Effects and answers per input. */
  const effects = new Map<string, number>();
  const answers = new Map<string, Set<string>>();
  const inputs = new Set<string>();
  const say = (fingerprint: string, answer: string | undefined) =>
    answers.set(fingerprint, (answers.get(fingerprint) ?? new Set()).add(answer ?? 'none'));
  const take = (fingerprint: string) => effects.set(fingerprint, (effects.get(fingerprint) ?? 0) + 1);

  for (const step of history) {
    const caller = callers[step.caller];
    if (!caller) continue;
    clock += 10;
    if (step.do === 'expire' && record) record = { ...record, endUs: clock };
    if (step.do === 'crash') caller.claim = undefined;
    if (step.do === 'call' && !caller.claim) {
      const owner = `o${owners++}`;
      const decision = decideIdempotency(record, { fingerprint: caller.fingerprint, owner }, clock);
      if (decision.kind === 'replay') say(caller.fingerprint, record?.answer);
      if (decision.kind === 'fresh' || decision.kind === 'take-over') {
        if (record && decision.token <= record.token) return 'a token came twice or went back';
        inputs.add(caller.fingerprint);
        caller.claim = { fingerprint: caller.fingerprint, owner, token: decision.token };
        record = { ...caller.claim, state: 'running', endUs: clock + 1_000_000, live: true };
        if (effect === 'outside') take(caller.fingerprint);
      }
    }
    if ((step.do === 'finish' || step.do === 'throw') && caller.claim) {
      const { claim } = caller;
      caller.claim = undefined;
      if (step.do === 'throw' && onThrow === 'delete') {
        if (record?.token === claim.token) record = undefined;
        continue;
      }
      const own = `${step.do} ${claim.token}`;
      const decision = decideCompletion(record, claim, clock);
      if (decision.kind === 'complete' && record) {
        if (record.state !== 'running') return 'a stored answer was replaced';
        record = { ...record, ...claim, state: step.do === 'finish' ? 'done' : 'failed', answer: own };
        if (effect === 'transaction' && step.do === 'finish') take(claim.fingerprint);
        say(claim.fingerprint, own);
      } else if (loser === 'own') say(claim.fingerprint, own);
      else if (decision.kind === 'replay') say(claim.fingerprint, record?.answer);
    }
    if (inputs.size > 1) return 'two inputs ran under one key';
    if ([...effects.values()].some((count) => count > 1)) return 'two effects';
    if ([...answers.values()].some((set) => set.size > 1)) return 'two answers';
  }
  return undefined;
}

describe('any history of calls, crashes and expiries', () => {
  const check = (broken: Partial<Rules>) =>
    fc.check(
      fc.property(steps, (history) => play({ ...rules, ...broken }, history) === undefined),
      { numRuns: 5_000, seed: 20 },
    );

  it('has one input, one effect and one answer', () => {
    expect(check({}).counterexample).toBeNull();
  });

  const unguarded: typeof decideCompletion = (record, claim, nowUs) =>
    record ? { kind: 'complete' } : decideCompletion(record, claim, nowUs);
  const lateMismatch: typeof decideIdempotency = (record, request, nowUs) =>
    decideIdempotency(
      record && record.state === 'running' ? { ...record, fingerprint: request.fingerprint } : record,
      request,
      nowUs,
    );
  const sameToken: typeof decideIdempotency = (record, request, nowUs) => {
    const decision = decideIdempotency(record, request, nowUs);
    return decision.kind === 'take-over' && record ? { ...decision, token: record.token } : decision;
  };

  it.each<[string, Partial<Rules>]>([
    ['completion without token guard', { decideCompletion: unguarded }],
    ['the zombie answers with its own result', { loser: 'own' }],
    ['other input refused only once completed', { decideIdempotency: lateMismatch }],
    // Crashes also repeat an outside effect; what is planted here is told apart by the history it needs.
    ['effect outside and not keyed', { effect: 'outside' }],
    ['take-over keeps the token', { decideIdempotency: sameToken }],
  ])('finds the planted bug: %s', (_, broken) => {
    expect(check(broken).failed).toBe(true);
  });

  it('finds the planted bug: key deleted when the handler throws (no crash, no expiry)', () => {
    const history: Steps = [
      { do: 'call', caller: 0 },
      { do: 'throw', caller: 0 },
      { do: 'call', caller: 1 },
    ];
    expect(play({ ...rules, effect: 'outside' }, history)).toBeUndefined();
    expect(play({ ...rules, effect: 'outside', onThrow: 'delete' }, history)).toBe('two effects');
  });
});
