// A2. Analysis endpoint behind a task queue.   run: node analysis.mjs
// One document, a queue that calls until it hears 2xx (any other answer makes it call again) (and may call twice),
// two deliveries in flight, crash at any step, lost replies, lock expiry at any time. Goal: the analysis reaches
// READY/FAILED. Rule: a result write needs the current lockToken.
import { report, variants } from './explore.mjs';
const base = { lockedIs: 409, owner: 'delivery', crashes: 1, losses: 1, dups: 1, guard: 'token' };
export function model(o) {
  const c = { ...base, ...o };
  const own = (i) => (c.owner === 'delivery' ? i + 1 : 9);
  return {
    init: () => ({
      status: 'WORK',
      lock: null,
      tok: 0,
      task: true,
      d: [null, null],
      crashes: c.crashes,
      losses: c.losses,
      dups: c.dups,
      bodies: 0,
    }),
    next(s, step) {
      const busy = s.d.filter(Boolean).length;
      s.d.forEach((d, i) => {
        if (!d && s.task && (busy === 0 || s.dups))
          step(
            `queue calls (delivery ${i})`,
            (x) => {
              if (busy) x.dups--;
              x.d[i] = { pc: 'in', tok: 0 };
            },
            busy === 0 ? { fair: 'queue' } : {},
          );
        if (!d) return;
        const end = (x, code) => {
          x.d[i] = null;
          if (code === 200) x.task = false;
        };
        const answer = (l, code, f = () => {}) => {
          step(
            `delivery ${i}: ${l} → ${code}`,
            (x) => {
              if (f(x) === false) return false;
              end(x, code);
            },
            { fair: `d${i}` },
          );
          if (s.losses)
            step(`delivery ${i}: ${l} → ${code}, reply lost`, (x) => {
              x.losses--;
              if (f(x) === false) return false;
              end(x, 0);
            });
        };
        if (s.crashes)
          step(`delivery ${i}: process dies`, (x) => {
            x.crashes--;
            end(x, 0);
          });
        if (d.pc === 'in') {
          if (s.status !== 'WORK') answer('already_finished', 200);
          else if (s.lock?.live) answer('locked', c.lockedIs);
          else {
            step(
              `delivery ${i}: acquires token ${s.tok + 1}`,
              (x) => {
                x.tok++;
                x.lock = { own: own(i), tok: x.tok, live: true };
                x.d[i] = { pc: 'run', tok: x.tok };
              },
              { fair: `d${i}` },
            );
            if (s.losses)
              step(`delivery ${i}: acquires token ${s.tok + 1}, reply lost → 503`, (x) => {
                x.losses--;
                x.tok++;
                x.lock = { own: own(i), tok: x.tok, live: true };
                end(x, 503);
              });
          }
        }
        if (d.pc === 'run') {
          step(
            `delivery ${i}: writes READY with token ${d.tok}`,
            (x) => {
              const mine = x.lock && x.lock.own === own(i) && (c.guard === 'owner' || x.lock.tok === d.tok);
              if (!mine || x.status !== 'WORK') {
                x.d[i].pc = 'lost';
                return;
              }
              if (x.lock.tok !== d.tok) return `stale result: token ${d.tok} written while token ${x.lock.tok} runs`;
              x.status = 'READY';
              x.lock = null;
              x.d[i].pc = 'ok';
            },
            { fair: `d${i}` },
          );
        }
        if (d.pc === 'ok') answer('done', 200);
        if (d.pc === 'lost') answer('lost', c.lostIs ?? 409);
      });
      if (s.lock?.live)
        step(
          'store clock: lock expires',
          (x) => {
            x.lock.live = false;
          },
          { fair: 'clock' },
        );
    },
    goal: (s) => s.status !== 'WORK',
    measure: (s) => ({ bodies: s.d.filter((d) => d?.pc === 'run').length }),
  };
}
const V = variants(model);
report('A2  analysis endpoint', [
  V('"locked" is answered 200 (the first draft; option onLocked: skip)', 'STUCK', { lockedIs: 200 }),
  V('repaired: "locked" and "lost" are answered 409 + Retry-After', 'OK', {}),
  V('"lost" is answered 200', 'STUCK', { lostIs: 200, crashes: 2 }),
  V('owner name per process, guard by name only', 'VIOLATION', { owner: 'process', guard: 'owner' }),
  V('owner name per process, guard by token', 'OK', { owner: 'process', guard: 'token' }),
  V('owner name per delivery, guard by name only', 'OK', { guard: 'owner' }),
  V('repaired: two crashes, two lost replies, two duplicates', 'OK', { crashes: 2, losses: 2, dups: 2 }),
]);
