// B2. Fence row and concurrency policy under READ COMMITTED.   run: node forbid.mjs
// One definition with policy `forbid`, two PENDING runs, two leaders (epoch 1 deposed by epoch 2), or two workers
// that claim and start themselves. A leader reads ("nothing active"), then sends a statement. A statement is two
// moments: begin (the fence is compared; FOR SHARE keeps the row locked) and commit (only its own row is re-checked).
// A new leader is granted its lease, raises the fence row (waits for locks on it), reads.
import { report, variants } from './explore.mjs';
// lock: FOR SHARE | plain sub-select; raise: 'before' | 'after' the new leader's read | 'never' (sub-select on the
// lease row)
const base = { lock: true, raise: 'before', index: true, fused: false };
export function model(o) {
  const c = { ...base, ...o };
  const active = (x) => x.R.filter((r) => r === 'ASSIGNED').length;
  return {
    init: () => ({
      ep: 1,
      fe: 1,
      R: ['PENDING', 'PENDING'],
      a: [
        { read: -1, s: null },
        { read: -1, s: null },
      ],
    }), // a[i]: leader with epoch i + 1, or worker i
    next(s, step) {
      if (s.ep === 1 && !c.fused)
        step('epoch 2 is granted', (x) => {
          x.ep = 2;
        });
      const now = (x) => (c.raise === 'never' ? x.ep : x.fe);
      if (s.ep === 2 && s.fe === 1 && c.raise !== 'never')
        step('leader with epoch 2 raises the fence', (x) => {
          if (c.lock && x.a.some((p) => p.s)) return false;
          if (c.raise === 'after' && x.a[1].read < 0) return false;
          x.fe = 2;
        });
      s.a.forEach((p, i) => {
        const who = c.fused ? `worker ${i}` : `leader with epoch ${i + 1}`;
        const leads = c.fused || (i === 0 ? true : s.ep === 2 && (c.raise !== 'before' || s.fe === 2));
        s.R.forEach((st, r) => {
          if (leads && p.read < 0 && !p.s && st === 'PENDING')
            step(`${who} reads: run${r} pending, nothing active`, (x) => {
              if (active(x)) return false;
              x.a[i].read = r;
            });
        });
        if (p.read >= 0)
          step(`${who}: statement for run${p.read} begins, ${c.fused ? 'epoch only read' : 'epoch compared'}`, (x) => {
            x.a[i].read = -1;
            if (!c.fused && now(x) !== i + 1) {
              if (c.raise === 'after' && i === 1 && x.fe === 1) return false;
              return;
            }
            x.a[i].s = { r: p.read };
          });
        if (p.s)
          step(`${who}: commits run${p.s.r} → ASSIGNED`, (x) => {
            x.a[i].s = null;
            if (x.R[p.s.r] !== 'PENDING') return; // the row itself is re-checked by the database
            if (c.index && active(x)) return; // partial unique index on the concurrency key
            if (!c.fused && i === 0 && now(x) === 2)
              return 'a statement of epoch 1 took effect after epoch 2 had raised the fence';
            x.R[p.s.r] = 'ASSIGNED';
          });
      });
    },
    invariant: (s) => (active(s) > 1 ? 'forbid broken: two runs of the definition are active' : null),
  };
}
const V = variants(model);
report('B2  fence row, forbid', [
  V('repaired: fence row FOR SHARE, raised before reading; unique index', 'OK', {}),
  V('fence row FOR SHARE, raised before reading, no index', 'OK', { index: false }),
  V('sub-select on the lease row', 'VIOLATION', { lock: false, raise: 'never', index: false }),
  V('sub-select on the fence row, unique index', 'VIOLATION', { lock: false }),
  V('fence raised after the new leader has read, no index', 'VIOLATION', { raise: 'after', index: false }),
  V('fused claim by two workers, no index', 'VIOLATION', { fused: true, index: false }),
  V('fused claim by two workers, unique index', 'OK', { fused: true }),
]);
