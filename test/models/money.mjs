// C2. Refund ledger against a provider that forgets, and C3. render window, cancel, show.   run: node money.mjs
import { report, variants } from './explore.mjs';

// C2: one captured payment of 2 units; our ledger row wants `want` units back. Two job executions (a zombie and its
// retry). Each: [look] → send → reply | lost. The provider remembers a key until it forgets it (24 h) and refuses
// only what would exceed the payment.
const base2 = {
  want: 1,
  look: true,
  key: 'stable',
  match: true,
  inflightOutlivesKey: false,
  frozen: false /* a job sleeps past the 24 h between look and send */,
  execs: 2,
  attempts: 2,
  losses: 2,
  forgets: 1,
};
export function ledger(o) {
  const c = { ...base2, ...o };
  return {
    init: () => ({
      back: 0,
      keys: [],
      led: 'todo',
      w: Array.from({ length: c.execs }, () => ({ pc: 'idle', n: 0 })),
      msg: [],
      losses: c.losses,
      forgets: c.forgets,
      day: false,
    }),
    next(s, step) {
      if (s.forgets && s.keys.length)
        step('24 h pass, provider forgets its keys', (x) => {
          if (!c.inflightOutlivesKey && x.msg.length) return false;
          x.forgets--;
          x.keys = [];
          x.day = true;
          if (!c.frozen) for (const w of x.w) if (w.pc === 'clear') w.pc = 'idle';
        });
      s.w.forEach((w, i) => {
        if (w.pc === 'idle' && s.led === 'todo' && w.n < c.attempts)
          step(
            `job ${i}: ${c.look ? 'lists refunds, ' : ''}${c.look && s.back ? 'found' : 'none'}`,
            (x) => {
              x.w[i].n++;
              if (c.look && x.back) {
                x.led = 'done';
                return;
              }
              x.w[i].pc = 'clear';
            },
            { fair: `job${i}` },
          );
        if (w.pc === 'clear')
          step(
            `job ${i}: sends refund`,
            (x) => {
              x.w[i].pc = 'wait';
              x.msg.push([i, c.key === 'stable' ? 'k' : `k${i}${w.n}`]);
            },
            { fair: `job${i}` },
          );
        if (w.pc === 'wait' && !s.msg.some((m) => m[0] === i))
          step(
            `job ${i}: gives up waiting`,
            (x) => {
              x.w[i].pc = 'idle';
            },
            { fair: `job${i}` },
          );
        if (w.pc === 'wait' && s.msg.some((m) => m[0] === i))
          step(`job ${i}: times out, request still under way`, (x) => {
            x.w[i].pc = 'idle';
          });
      });
      s.msg.forEach((m, k) => {
        const act = (x) => {
          x.msg.splice(k, 1);
          if (x.keys.includes(m[1])) return;
          if (x.back + c.want > 2) return;
          x.keys.push(m[1]);
          x.back += c.want;
        };
        step(
          `provider executes refund ${m[1]} of job ${m[0]}`,
          (x) => {
            act(x);
            if (x.w[m[0]].pc === 'wait') {
              x.w[m[0]].pc = 'idle';
              x.led = 'done';
            }
          },
          { fair: 'provider' },
        );
        if (s.losses)
          step(`provider executes refund ${m[1]} of job ${m[0]}, reply lost`, (x) => {
            x.losses--;
            act(x);
          });
      });
    },
    invariant: (s) => (s.back > c.want ? `I10: ${s.back} units refunded, ${c.want} owed` : null),
  };
}
// C3: a confirmed, paid reservation; its render; the manual window; user cancel; the show.
const base3 = { timerGen: true, cancelCutoff: true, atStart: true, refundFrom: 'confirmed', fixes: 2 };
export function render(o) {
  const c = { ...base3, ...o };
  return {
    init: () => ({
      st: 'confirmed',
      v: 'processing',
      gen: 0,
      timers: [],
      start: false,
      refunds: 0,
      fixes: c.fixes,
      early: false,
    }),
    next(s, step) {
      const undo = (x) => {
        x.st = 'cancelled';
        x.refunds++;
      };
      if (s.v === 'processing') {
        step(
          'render done',
          (x) => {
            x.v = 'ready';
          },
          { fair: 'render' },
        );
        step(
          'render fails for the third time, window opens',
          (x) => {
            if (x.gen >= 2) return false;
            x.v = 'failed';
            x.gen++;
            x.timers.push({ g: x.gen, due: false });
          },
          { fair: 'render' },
        );
      }
      if (s.v === 'failed' && s.fixes && s.st === 'confirmed')
        step('a person restarts the render', (x) => {
          x.fixes--;
          x.v = 'processing';
        });
      s.timers.forEach((t, i) => {
        if (!t.due)
          step(
            `24 h after failure ${t.g}`,
            (x) => {
              if (i && !x.timers[0].due) return false;
              x.timers[i].due = true;
            },
            { fair: 'clock' },
          );
        else
          step(
            `timer of failure ${t.g} fires`,
            (x) => {
              x.timers.splice(i, 1);
              if (x.st !== 'confirmed' || x.v !== 'failed') return;
              if (t.g !== x.gen) {
                if (c.timerGen) return;
                return 'the timer of an older failure ended a newer window early';
              }
              undo(x);
            },
            { fair: 'timer' },
          );
      });
      if ((s.st === 'confirmed' && !s.start) || (!c.cancelCutoff && s.st === 'served'))
        step(`user cancels${s.start ? ' after the show began' : ''}`, (x) => {
          if (x.st === 'served') return 'I10: served and refunded';
          undo(x);
        });
      if (!s.start)
        step(
          'slot begins',
          (x) => {
            x.start = true;
            if (x.st === 'confirmed' && x.v === 'ready') x.st = 'served';
            else if (c.atStart && x.st === 'confirmed') undo(x);
          },
          { fair: 'clock' },
        );
    },
    invariant: (s) => (s.refunds > 1 ? 'I10: two refunds' : null),
    goal: (s) => s.st === 'served' || s.refunds > 0,
  };
}
const L = variants(ledger);
const R = variants(render);
report('C2  refund ledger', [
  L('full refund, no look, new key each time (the provider itself refuses the second)', 'OK', {
    want: 2,
    look: false,
    key: 'fresh',
  }),
  L('partial refund, no look, stable key, key forgotten', 'VIOLATION', { look: false }),
  L('partial refund, look first, new key each time', 'VIOLATION', { key: 'fresh' }),
  L('partial refund, look first, stable key', 'OK', {}),
  L("partial refund, look first, stable key, a request outlives the provider's memory", 'VIOLATION', {
    inflightOutlivesKey: true,
  }),
  L('partial refund, look first, stable key, job frozen > 24 h between look and send', 'VIOLATION', { frozen: true }),
  L('full refund, look first, stable key, frozen and outliving', 'OK', {
    want: 2,
    frozen: true,
    inflightOutlivesKey: true,
  }),
  L("full refund, look first, stable key, a request outlives the provider's memory", 'OK', {
    want: 2,
    inflightOutlivesKey: true,
  }),
]);
report('C3  render window, cancel, show', [
  R('repaired', 'OK', {}),
  R('cancel has no cut-off', 'VIOLATION', { cancelCutoff: false }),
  R('nothing happens when the slot begins without a video', 'STUCK', { atStart: false }),
  R('timer looks at the state only', 'VIOLATION', { timerGen: false, atStart: false }),
]);
