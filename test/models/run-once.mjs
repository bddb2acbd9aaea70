// E. Idempotency (run-once).   run: node run-once.mjs
// One key. Two callers with the same input, one with another. A caller claims, runs the handler, completes, answers;
// it can die, be paused at any step, or lose the reply (the client then calls again). The claim's lease may end at
// any moment. Each execution would give a different answer.
import { report, variants } from './explore.mjs';
const base = {
  // the handler's effect: 'tx' (same transaction as the completion) | 'keyed' (outside, deduplicated by the key) |
  // 'outside'
  effect: 'tx',
  guard: true, // completion requires the claim's token
  loser: 'stored', // refused completion answers: 'stored' (re-read; none yet = in flight) | 'own'
  onThrow: 'keep', // handler throws: 'keep' (failed, with its answer) | 'delete' the key
  mismatch: 'first', // other input: refused 'first', whatever the state | 'done' (only once completed)
  expiry: true,
  prune: 0,
  throws: 0,
  losses: 1,
  deaths: 1,
  tokens: 3,
};
export function model(o) {
  const c = { ...base, ...o };
  return {
    init: () => ({
      k: null,
      n: 0,
      effects: 0,
      did: false,
      answers: [],
      wrong: null,
      c: [
        { fp: 1, pc: 'new' },
        { fp: 1, pc: 'new' },
        { fp: 2, pc: 'new' },
      ].map((q) => ({ ...q, tok: 0, calls: 0 })),
      losses: c.losses,
      deaths: c.deaths,
      prune: c.prune,
      throws: c.throws,
    }),
    next(s, step) {
      if (c.expiry && s.k?.st === 'run' && s.k.live)
        step(
          'lease of the claim ends',
          (x) => {
            x.k.live = false;
          },
          { fair: 'clock' },
        );
      if (s.prune && s.k?.st === 'done')
        step('retention ends, the key is pruned', (x) => {
          x.prune--;
          x.k = null;
        });
      s.c.forEach((q, i) => {
        const n = `caller${i}`,
          f = { fair: n };
        const say = (x, a) => {
          if (!x.answers.includes(a)) x.answers.push(a);
          x.c[i].pc = 'end';
        };
        const reply = (l, get) => {
          step(
            `${n}: ${l}`,
            (x) => {
              const a = get(x);
              if (a === undefined) return;
              say(x, a);
            },
            f,
          );
          if (s.losses)
            step(`${n}: ${l}, reply lost, client calls again`, (x) => {
              const a = get(x);
              if (a === undefined) return false;
              x.losses--;
              x.c[i].pc = 'new';
            });
        };
        if (q.pc === 'new') {
          if (s.k && s.k.fp !== q.fp && (c.mismatch === 'first' || s.k.st === 'done')) {
            step(
              `${n}: refused, other input (422)`,
              (x) => {
                x.c[i].pc = 'end';
              },
              f,
            );
            return;
          }
          if (s.k?.st === 'done') reply('stored answer', (x) => (x.k.fp !== q.fp ? 'OTHER' : x.k.ans));
          else if (s.k?.st === 'run' && s.k.live) step(`${n}: in flight (409), asks later`, () => {});
          else if (s.n < c.tokens)
            step(
              `${n}: ${s.k ? 'takes over' : 'claims'}, token ${s.n + 1}`,
              (x) => {
                if (x.k && x.k.fp !== q.fp) x.wrong = 'a caller with other input took the key over';
                x.n++;
                x.k = { fp: q.fp, st: 'run', tok: x.n, live: true, ans: 0 };
                x.c[i].pc = 'run';
                x.c[i].tok = x.n;
              },
              f,
            );
        }
        if (q.pc === 'run') {
          step(
            `${n}: handler runs (token ${q.tok})`,
            (x) => {
              if (c.effect === 'outside') x.effects++;
              if (c.effect === 'keyed' && !x.did) {
                x.did = true;
                x.effects++;
              }
              x.c[i].pc = 'ran';
            },
            f,
          );
        }
        if (q.pc === 'ran') {
          const complete = (x) => {
            const ok = !c.guard || (x.k && x.k.st === 'run' && x.k.tok === q.tok);
            if (ok) {
              if (!c.guard && x.k?.st === 'done') x.wrong = 'a late completion replaced the stored answer';
              x.k = { fp: q.fp, st: 'done', tok: q.tok, live: false, ans: q.tok };
              if (c.effect === 'tx') x.effects++;
              return q.tok;
            }
            if (c.loser === 'own') return q.tok;
            if (x.k?.st === 'done' && x.k.fp === q.fp) return x.k.ans;
            x.c[i].pc = 'new'; // in flight elsewhere: ask again
          };
          reply('completes', complete);
          if (s.throws)
            step(`${n}: handler throws after its effect may have happened`, (x) => {
              x.throws--;
              if (c.onThrow === 'delete') {
                if (x.k?.tok === q.tok) x.k = null;
                x.c[i].pc = 'new';
              } else {
                const a = complete(x);
                if (a !== undefined) say(x, a);
              }
            });
        }
        if (s.deaths && ['run', 'ran'].includes(q.pc))
          step(`${n}: process dies, client calls again`, (x) => {
            x.deaths--;
            x.c[i].pc = 'new';
          });
      });
    },
    invariant(s) {
      if (s.wrong) return s.wrong;
      if (s.effects > 1) return `I6: ${s.effects} effects for one key`;
      const mine = s.answers;
      if (mine.length > 1) return `I6: two answers for one key and input: ${mine}`;
    },
    goal: c.live === false ? undefined : (s) => s.n >= c.tokens || s.c.every((q) => q.pc === 'end'),
  };
}
const V = variants(model);
report('E  run-once', [
  V('effect in the transaction of the completion', 'OK', {}),
  V('effect outside, keyed by cause', 'OK', { effect: 'keyed' }),
  V('effect outside, not keyed', 'VIOLATION', { effect: 'outside' }),
  V('completion without token guard', 'VIOLATION', { guard: false, effect: 'keyed' }),
  V('the zombie answers with its own result', 'VIOLATION', { loser: 'own' }),
  V('other input is refused only once completed', 'VIOLATION', { mismatch: 'done' }),
  V('no take-over at all, handler throws after its effect, key deleted', 'VIOLATION', {
    expiry: false,
    effect: 'outside',
    deaths: 0,
    losses: 0,
    throws: 1,
    onThrow: 'delete',
  }),
  V('no take-over at all, handler throws after its effect, failure kept', 'OK', {
    expiry: false,
    effect: 'outside',
    deaths: 0,
    losses: 0,
    throws: 1,
  }),
  V('handler throws, failure kept, two deaths', 'OK', { throws: 1, effect: 'keyed', deaths: 2, tokens: 4 }),
  V('key pruned while a client still retries', 'VIOLATION', { prune: 1 }),
]);
