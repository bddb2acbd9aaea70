// C1. Slot, hold, payment session, webhook, cancel.   run: node reservations.mjs
// One slot, customers A and B. The provider is a second store: a session (open → complete | expired) that knows
// nothing of our deadline. Webhooks may come late, twice, or never; every provider call may lose its reply after it
// took effect; the sweep and the customer act at any moment.
import { report, variants } from './explore.mjs';
const LIVE = ['hold', 'expiring', 'confirmed'];
const base = {
  expiry: 'two-step', // 'direct' (first draft) | 'two-step' (hold → expiring → ask the provider → settle)
  // holdSlot meets an overdue hold: 'direct' (expire it and take the slot) | 'settle' (only where no session can be
  // paid; else it is settled first)
  lazy: 'settle',
  rule: 'charge-time', // money for a hold past its deadline, slot still ours: 'charge-time' | 'arrival'
  lateState: true, // money for expired/cancelled is refunded
  cancelCloses: true, // cancelling a hold expires its session too
  // the session id is stored only while the row is still `hold`; otherwise the session is expired at once
  storeGuard: true,
  closeSettles: true, // "cannot expire, already complete" counts as paid for a cancelled hold as well
  cap: 0, // how often the provider stays unreachable beyond the cap: expiring → expired with an alert
  // money charged in time, row already expired by the cap: 'refund' | 'reinstate' (if the slot is free and nothing
  // was refunded) | 'reinstate-blind' (looks at the slot only)
  lateMoney: 'refund',
  refundUnique: true,
  reconcile: true,
  eventTx: true,
  dups: 1,
  lostHooks: 1,
  losses: 1,
  cancels: 1,
};
export function model(o) {
  const c = { ...base, ...o };
  const R = () => ({
    st: 'none',
    over: false,
    sess: 'none',
    known: false,
    money: false,
    inTime: null,
    hook: 0,
    seen: false,
    refunds: 0,
    userCancel: false,
    closing: false,
    capped: false,
  });
  const dead = (r) => r.st === 'expired' || r.st === 'cancelled';
  const refund = (x, i) => {
    if (c.refundUnique && x.r[i].refunds) return;
    x.r[i].refunds++;
  };
  const money = (x, i) => {
    // one settle() for webhook, redirect, reconciler and expiry
    const r = x.r[i];
    if (!r.money || r.st === 'confirmed') return;
    if (
      r.capped &&
      r.inTime &&
      c.lateMoney !== 'refund' &&
      r.st === 'expired' &&
      !x.r.some((q) => LIVE.includes(q.st)) &&
      (c.lateMoney === 'reinstate-blind' || !r.refunds)
    ) {
      r.st = 'confirmed';
      return;
    } // through the same unique index
    if (dead(r)) {
      if (c.lateState) refund(x, i);
      return;
    }
    const ok = c.rule === 'charge-time' ? r.inTime : !r.over;
    if (ok) r.st = 'confirmed';
    else {
      r.st = 'expired';
      refund(x, i);
    }
  };
  return {
    init: () => ({
      r: [R(), R()],
      dups: c.dups,
      lostHooks: c.lostHooks,
      losses: c.losses,
      cancels: c.cancels,
      cap: c.cap,
      bad: null,
    }),
    next(s, step) {
      s.r.forEach((r, i) => {
        const n = 'AB'[i];
        const taken = s.r.some((q, j) => j !== i && LIVE.includes(q.st));
        if (r.st === 'none' && (i === 0 || s.r[0].st !== 'none'))
          step(`${n} holds the slot`, (x) => {
            const j = 1 - i,
              q = x.r[j];
            if (taken) {
              if (!(q.st === 'hold' && q.over && (c.lazy === 'direct' || q.sess === 'none'))) return false;
              q.st = 'expired';
            }
            x.r[i].st = 'hold';
          });
        if (r.st === 'hold' && !r.over && r.sess === 'none')
          step(`${n}: provider creates the session`, (x) => {
            x.r[i].sess = 'open';
          });
        if (r.sess !== 'none' && !r.known && !r.closing)
          step(
            `${n}: session id reaches our row`,
            (x) => {
              if (c.storeGuard && x.r[i].st !== 'hold') {
                x.r[i].closing = true;
                return;
              }
              x.r[i].known = true;
            },
            { fair: `store${i}` },
          );
        if (r.sess === 'open' && r.known)
          step(`${n} pays ${r.over ? 'after' : 'before'} the deadline`, (x) => {
            Object.assign(x.r[i], { sess: 'complete', money: true, inTime: !r.over, hook: 1 });
          });
        if (r.sess === 'open' && (r.over || dead(r)))
          step(
            `${n}: session ends by itself at the provider`,
            (x) => {
              x.r[i].sess = 'expired';
            },
            { fair: `ttl${i}` },
          );
        if (r.sess === 'open' && r.closing)
          step(
            `${n}: close call expires the session`,
            (x) => {
              x.r[i].sess = 'expired';
            },
            { fair: `close${i}` },
          );
        if (c.closeSettles && r.closing && r.sess === 'complete' && !r.seen)
          step(
            `${n}: close call is refused, session complete: paid`,
            (x) => {
              x.r[i].seen = true;
              money(x, i);
            },
            { fair: `close${i}` },
          );
        if (r.hook) {
          step(
            `${n}: webhook completed`,
            (x) => {
              const q = x.r[i];
              q.hook = 0;
              if (q.seen && c.eventTx) return;
              q.seen = true;
              money(x, i);
            },
            { fair: `hook${i}` },
          );
          if (s.dups)
            step(`${n}: webhook completed, will come again`, (x) => {
              x.dups--;
              const q = x.r[i];
              if (q.seen && c.eventTx) return;
              q.seen = true;
              money(x, i);
            });
          if (s.lostHooks)
            step(`${n}: webhook never arrives`, (x) => {
              x.lostHooks--;
              x.r[i].hook = 0;
            });
        }
        if (c.reconcile && r.sess === 'complete' && r.st !== 'none' && !r.hook && !r.seen)
          step(
            `${n}: reconciler asks the provider, paid`,
            (x) => {
              x.r[i].seen = true;
              money(x, i);
            },
            { fair: `rec${i}` },
          );
        if (r.st === 'hold' && !r.over)
          step(
            `${n}: 15 minutes pass`,
            (x) => {
              x.r[i].over = true;
            },
            { fair: `time${i}` },
          );
        if (r.st === 'hold' && r.over)
          step(
            `${n}: sweep`,
            (x) => {
              x.r[i].st = c.expiry === 'direct' ? 'expired' : 'expiring';
            },
            { fair: `sweep${i}` },
          );
        if (r.st === 'expiring') {
          const settle = (x) => {
            const q = x.r[i];
            if (q.sess === 'none' || q.sess === 'expired') {
              q.st = 'expired';
              return;
            }
            if (q.sess === 'complete') {
              money(x, i);
              return;
            }
            q.sess = 'expired';
            q.st = 'expired';
          };
          step(`${n}: settle (expire the session at the provider, then the row)`, settle, { fair: `settle${i}` });
          if (s.cap && r.sess !== 'none')
            step(`${n}: provider unreachable beyond the cap: expired, alert`, (x) => {
              x.cap--;
              x.r[i].st = 'expired';
              x.r[i].capped = true;
              x.r[i].closing = true;
            });
          if (s.losses && r.sess === 'open')
            step(`${n}: session expired at the provider, our process dies before the row`, (x) => {
              x.losses--;
              x.r[i].sess = 'expired';
            });
        }
        if (s.cancels && ['hold', 'expiring', 'confirmed'].includes(r.st))
          step(`${n} cancels`, (x) => {
            x.cancels--;
            const q = x.r[i];
            q.userCancel = true;
            if (q.st === 'confirmed') refund(x, i);
            else if (c.cancelCloses) q.closing = true;
            q.st = 'cancelled';
          });
      });
    },
    invariant(s) {
      if (s.r.filter((r) => LIVE.includes(r.st)).length > 1) return 'I10: two live reservations for one slot';
      for (const r of s.r) {
        if (r.refunds > 1) return 'I10: two refunds for one payment';
        if (r.st === 'confirmed' && r.refunds) return 'I10: served and refunded';
        if (r.refunds && !r.money) return 'I10: refund without payment';
        if (c.spec !== false && r.refunds && r.inTime && !r.userCancel && !r.capped)
          return 'I11: paid before the deadline, not cancelled, and still refunded (it depends on who was first)';
        if (c.spec !== false && r.st === 'confirmed' && r.inTime === false)
          return 'I11: paid after the deadline and confirmed (it depends on who was first)';
        if (c.noLate && r.money && !r.inTime) return 'a payment succeeded although the reservation was already dead';
      }
    },
    goal: (s) =>
      s.r.every(
        (r) =>
          (!r.money || (r.st === 'confirmed') !== r.refunds > 0) &&
          !['hold', 'expiring'].includes(r.st) &&
          !(r.sess === 'open' && dead(r)),
      ),
  };
}
const V = variants(model);
report('C1  hold, pay, expire, cancel', [
  V('first draft: one-step expiry, decided by arrival', 'VIOLATION', {
    expiry: 'direct',
    lazy: 'direct',
    rule: 'arrival',
  }),
  V('two-step expiry, holdSlot frees an overdue hold at once', 'VIOLATION', { lazy: 'direct' }),
  V('two-step expiry, decided by arrival', 'VIOLATION', { rule: 'arrival' }),
  V('repaired: two-step everywhere, charge time decides', 'OK', {}),
  V('repaired: provider unreachable beyond the cap, lateMoney refund', 'OK', { cap: 1 }),
  V('repaired: provider unreachable beyond the cap, lateMoney reinstate-if-free', 'OK', {
    cap: 1,
    lateMoney: 'reinstate',
  }),
  V('reinstating looks at the slot only, not at the refunds', 'VIOLATION', {
    cap: 1,
    lateMoney: 'reinstate-blind',
    eventTx: false,
  }),
  V('repaired, money only (I10): first policy, decided by arrival', 'OK', {
    expiry: 'direct',
    lazy: 'direct',
    rule: 'arrival',
    spec: false,
  }),
  V('money for a cancelled hold is not refunded', 'STUCK', { lateState: false, spec: false }),
  V('no reconciler: webhook never arrives', 'STUCK', {
    reconcile: false,
    expiry: 'direct',
    lazy: 'direct',
    rule: 'arrival',
    spec: false,
  }),
  V('no reconciler, two-step expiry, a cancel ignores "already complete"', 'STUCK', {
    reconcile: false,
    closeSettles: false,
  }),
  V('no reconciler, expiry and cancel both read "already complete" as paid', 'OK', { reconcile: false }),
  V('one refund row per cause instead of per payment (settling and webhook find the same late money)', 'VIOLATION', {
    refundUnique: false,
  }),
  V('session id stored although the hold has ended meanwhile', 'OK', { storeGuard: false }),
  V('cancelled hold keeps its session open (money comes and is refunded)', 'OK', { cancelCloses: false }),
]);

// C1b. Delayed methods (konbini, bank transfer): the session completes unpaid, cash comes later or never; events
// arrive in any order.
// 'paid': "already complete" is taken as paid; handler 'payload': acts on the event's own words
const baseD = { complete: 'refetch', handler: 'refetch', dups: 1 };
export function delayed(o) {
  const c = { ...baseD, ...o };
  const LIVEP = ['hold', 'expiring', 'payment_pending'];
  return {
    init: () => ({ st: 'hold', over: false, pover: false, pay: 'none', ev: [], refunds: 0, dups: c.dups, cancels: 1 }),
    next(s, step) {
      const refund = (x) => {
        if (!x.refunds) x.refunds = 1;
      };
      const settle = (x, pay) => {
        if (pay === 'paid') {
          if (LIVEP.includes(x.st)) x.st = 'confirmed';
          else if (x.st !== 'confirmed') refund(x);
        }
        if (
          pay === 'unpaid' &&
          (c.handler === 'payload' ? !['expired', 'cancelled'].includes(x.st) : ['hold', 'expiring'].includes(x.st))
        )
          x.st = 'payment_pending';
        if (pay === 'failed' && LIVEP.includes(x.st)) x.st = 'expired';
      };
      if (s.pay === 'none' && LIVEP.includes(s.st))
        step('customer chooses the convenience store', (x) => {
          x.pay = 'unpaid';
          x.ev.push('unpaid');
        });
      if (s.pay === 'unpaid') {
        step('cash is paid', (x) => {
          x.pay = 'paid';
          x.ev.push('paid');
        });
        step(
          'voucher lapses',
          (x) => {
            x.pay = 'failed';
            x.ev.push('failed');
          },
          { fair: 'lapse' },
        );
      }
      s.ev.forEach((e, i) => {
        const f = (x) => settle(x, c.handler === 'refetch' ? x.pay : e);
        step(
          `event ${e}`,
          (x) => {
            x.ev.splice(i, 1);
            f(x);
          },
          { fair: 'hook' },
        );
        if (s.dups)
          step(`event ${e} (will come again)`, (x) => {
            x.dups--;
            f(x);
          });
      });
      if (!s.over)
        step(
          '15 minutes pass',
          (x) => {
            x.over = true;
          },
          { fair: 'clock' },
        );
      if (s.st === 'hold' && s.over)
        step(
          'sweep',
          (x) => {
            x.st = 'expiring';
          },
          { fair: 'sweep' },
        );
      if (s.st === 'expiring')
        step(
          'settle',
          (x) => {
            if (x.pay === 'none') {
              x.st = 'expired';
              x.pay = 'closed';
            } else settle(x, c.complete === 'paid' ? 'paid' : x.pay);
          },
          { fair: 'settle' },
        );
      if (s.st === 'payment_pending')
        step(
          'deadline of the voucher passes',
          (x) => {
            x.st = 'expired';
          },
          { fair: 'pclock' },
        );
      if (s.cancels && [...LIVEP, 'confirmed'].includes(s.st))
        step('user cancels', (x) => {
          x.cancels--;
          if (x.st === 'confirmed') refund(x);
          x.st = 'cancelled';
          if (x.pay === 'none') x.pay = 'closed';
        });
    },
    invariant: (s) =>
      s.st === 'confirmed' && s.pay !== 'paid'
        ? 'confirmed, but no money was captured'
        : s.st === 'confirmed' && s.refunds
          ? 'I10: served and refunded'
          : s.refunds && s.pay !== 'paid'
            ? 'refund without payment'
            : null,
    goal: (s) =>
      !LIVEP.includes(s.st) && (s.pay !== 'paid' || (s.st === 'confirmed') !== s.refunds > 0) && s.ev.length === 0,
  };
}
const D = variants(delayed);
report('C1b  delayed methods', [
  D('"cannot expire, already complete" means it was paid', 'VIOLATION', { complete: 'paid' }),
  D("handler acts on the event's own words; the unpaid event comes after the paid one", 'STUCK', {
    handler: 'payload',
  }),
  D('repaired: every event is a hint, the session is fetched again', 'OK', {}),
]);
