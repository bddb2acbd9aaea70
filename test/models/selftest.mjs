// The explorer checked on problems with known answers.   run: node selftest.mjs
import { report } from './explore.mjs';
const lock = (kind) => ({
  // two processes, one critical section
  init: () => ({ f: [0, 0], t: 0, pc: [0, 0] }),
  next(s, step) {
    for (const i of [0, 1]) {
      const j = 1 - i,
        go = (l, fn) => step(`p${i} ${l}`, fn, { fair: `p${i}` });
      if (s.pc[i] === 0)
        step(`p${i} wants in`, (x) => {
          x.f[i] = 1;
          x.t = j;
          x.pc[i] = 1;
        });
      if (s.pc[i] === 1)
        go('enters', (x) => {
          const wait = kind === 'peterson' ? x.f[j] && x.t === j : kind === 'polite' ? x.f[j] : false;
          if (wait) return false;
          x.pc[i] = 2;
        });
      if (s.pc[i] === 2)
        go('leaves', (x) => {
          x.pc[i] = 0;
          x.f[i] = 0;
        });
    }
  },
  invariant: (s) => (s.pc[0] === 2 && s.pc[1] === 2 ? 'both inside' : null),
  goal: (s) => s.pc[0] !== 1, // p0 does not wait for ever
});
const spin = (fair) => ({
  // a loop that only fairness ends
  init: () => ({ n: 0, done: false }),
  next(s, step) {
    if (!s.done) {
      step(
        'spin',
        (x) => {
          x.n = 1 - x.n;
        },
        { fair: 'a' },
      );
      step(
        'finish',
        (x) => {
          x.done = true;
        },
        fair ? { fair: 'b' } : {},
      );
    }
  },
  goal: (s) => s.done,
});
report('selftest', [
  { name: 'no lock', expect: 'VIOLATION', model: lock('none') },
  { name: 'both polite: deadlock', expect: 'STUCK', model: lock('polite') },
  { name: 'Peterson', expect: 'OK', model: lock('peterson') },
  { name: 'loop, exit not fair', expect: 'STUCK', model: spin(false) },
  { name: 'loop, exit fair', expect: 'OK', model: spin(true) },
]);
