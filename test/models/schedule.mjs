// B3. Due times over a change of leader.   run: node schedule.mjs
// Three due times of one definition. Two leaders; either may be paused for ever between any two steps, or die; a
// deposed leader's statement may still execute. Rule: each due time leaves exactly one row (I9), whoever leads when.
import { report, variants } from './explore.mjs';
const base = { cursor: 'tx', unique: true, epochCheck: true, epochs: 3 };
export function model(o) {
  const c = { ...base, ...o };
  return {
    init: () => ({
      now: 0,
      cur: 0,
      rows: [0, 0, 0],
      ep: 1,
      L: [
        { ep: 1, p: null, mem: 0 },
        { ep: 0, p: null, mem: 0 },
      ],
    }),
    next(s, step) {
      if (s.now < 3)
        step(
          `due time ${s.now + 1} comes`,
          (x) => {
            x.now++;
          },
          { fair: 'clock' },
        );
      s.L.forEach((L, l) => {
        if (L.ep !== s.ep && s.ep < c.epochs)
          step(`L${l} becomes leader, raises the fence`, (x) => {
            x.ep++;
            x.L[l] = { ep: x.ep, p: null, mem: x.now };
          });
        if (!L.ep) return;
        const at = c.cursor === 'memory' ? L.mem : s.cur;
        if (!L.p && at < s.now)
          step(
            `L${l} reads: due time ${at + 1} is next`,
            (x) => {
              x.L[l].p = { at, ph: 0 };
            },
            L.ep === s.ep ? { fair: `L${l}` } : {},
          );
        if (L.p)
          step(
            `L${l} (epoch ${L.ep}) ${['tx', 'memory'].includes(c.cursor) ? 'inserts and moves on' : L.p.ph ? 'second statement' : 'first statement'}`,
            (x) => {
              const q = x.L[l],
                { at: k, ph } = L.p;
              const insert = () => {
                if (!(c.unique && x.rows[k])) x.rows[k]++;
              };
              const move = () => {
                if (x.cur === k) x.cur = k + 1;
              };
              if (c.epochCheck && q.ep !== x.ep) {
                q.p = null;
                return;
              }
              if (c.cursor === 'tx') {
                insert();
                move();
                q.p = null;
              } else if (c.cursor === 'memory') {
                insert();
                q.mem = k + 1;
                q.p = null;
              } else {
                const first = c.cursor === 'insert-first' ? insert : move,
                  second = c.cursor === 'insert-first' ? move : insert;
                if (!ph) {
                  first();
                  q.p.ph = 1;
                } else {
                  second();
                  q.p = null;
                }
              }
            },
            L.ep === s.ep ? { fair: `L${l}` } : {},
          );
      });
    },
    invariant: (s) => (s.rows.some((r) => r > 1) ? 'I9: two rows for one due time' : null),
    goal: (s) => s.rows.every((r) => r >= 1),
  };
}
const V = variants(model);
report('B3  due times', [
  V("next due time kept in the leader's memory", 'STUCK', { cursor: 'memory' }),
  V('cursor in the database, moved before the insert', 'STUCK', { cursor: 'move-first' }),
  V('cursor moved after the insert, no unique index', 'VIOLATION', {
    cursor: 'insert-first',
    unique: false,
    epochCheck: false,
  }),
  V('cursor moved after the insert, unique index', 'OK', { cursor: 'insert-first' }),
  V('repaired: insert and cursor in one statement, unique index, epoch check', 'OK', {}),
]);
