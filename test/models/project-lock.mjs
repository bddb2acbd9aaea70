// D. Project lock.   run: node project-lock.mjs
// Tabs, gate (Web Lock), record `.lock` under one mutex, presence lock, take-over, session path, fenced save.
// A frozen tab is one whose steps do not come. The record may expire at any moment; a request for the gate may time
// out at any moment; a tab may die (the browser then frees gate, presence lock and mutex; the record stays). The
// mutex is the sync access handle on `.lock`: what happens in it is one step, except a save, which is two (check |
// rename and leave), so that a tab can sleep or die inside. The rename to current.json is the commit point;
// index.json is a cache and is not modelled.
import { report, variants, long } from './explore.mjs';
const base = {
  // 'always' | 'file-only' (first draft: a Web Lock holder writes none) | 'or-web-only' (granted on the Web Lock
  // alone when `.lock` cannot be opened)
  record: 'always',
  rmw: 'mutex', // the record is read, decided and written in the 'mutex' | 'readback' (write, wait, read back)
  gateBeats: 'web', // with the gate in hand a live record may be taken over if made by 'web' | 'any'
  presence: 'before', // a file-path holder takes its presence lock 'before' the record is written | 'after'
  release: 'tombstone', // 'tombstone' (keeps the token) | 'delete'
  // a save compares the record and renames inside the 'mutex' | 'outside' (checked, then renamed later)
  commit: 'mutex',
  compare: true, // … and it compares at all
  // a new holder deletes temporaries of lower tokens, then reads ('delete-first') | 'read-first'
  recover: 'delete-first',
  session: 'last', // block of tokens: the record shows the 'last' of the block | the 'first'
  lookAgain: true, // take-over: after the steal the record is looked at again
  floor: 'clock', // record lost: new token above 'clock' (and the saved files) | 'saved' (files only)
  block: 1,
  tabs: 2,
  deaths: 1,
  late: 0,
  drops: 0,
  forces: 0,
  takeovers: 0,
  losses: 0,
  grants: 3,
  saves: 2,
  fails: 0,
};
export function model(o) {
  const c = { ...base, ...o };
  const tab = () => ({ pc: 'idle', web: false, pres: 0, tok: 0, id: 0, valid: false, base: -1, p: null });
  const FREE = { tok: 0, first: 0, id: 0, live: false, strat: '', pres: false, cool: false };
  return {
    init: () => ({
      rec: { ...FREE },
      mx: -1,
      top: 0,
      cur: 0,
      late: null,
      hist: [],
      t: Array.from({ length: c.tabs }, tab),
      next: 1,
      b: { d: c.deaths, la: c.late, dr: c.drops, fo: c.forces, ta: c.takeovers, lo: c.losses, fa: c.fails },
      bad: null,
    }),
    next(s, step) {
      const free = s.mx === -1; // nobody is in the mutex
      const write = (x, i, strat, r) => {
        // a grant: record written, token raised
        const first = Math.max(x.rec.tok, 0) + 1,
          tok = first + (c.session === 'last' ? c.block - 1 : 0),
          id = x.next++;
        if (first <= x.top && !c.noI2) x.bad = `I2: token ${first} was given out before`;
        x.top = Math.max(x.top, first + c.block - 1);
        x.rec = {
          tok,
          first,
          id,
          live: true,
          strat,
          pres: strat === 'file' && c.presence !== 'none',
          cool: !!r?.cool || (x.rec.cool && !r),
        };
        if (strat === 'file' && c.presence === 'before') x.t[i].pres = id;
        // overruled by a person: it learns at its next save or beat
        if (r?.cool) for (const q of x.t) if (q.id === r.old) q.over = true;
        Object.assign(x.t[i], { tok: first, id, valid: true }); // its time runs from here
        return x.bad ?? undefined;
      };
      const hold = (x, i) => {
        const v = x.t[i];
        Object.assign(v, {
          pc: 'held',
          valid: c.record !== 'always' || (x.rec.id === v.id && x.rec.live),
          base: -1,
          p: null,
        });
      };
      const drop = (x, i) => {
        const v = x.t[i];
        if (x.mx === i) x.mx = -1;
        Object.assign(v, { pc: 'idle', web: false, pres: 0, tok: 0, id: 0, valid: false, base: -1, p: null });
        delete v.told;
        delete v.over;
        delete v.sec;
      };
      const conflict = (x, via, gone) =>
        x.rec.live &&
        !(via === 'web' && (c.gateBeats === 'any' || x.rec.strat === 'web')) &&
        !(gone && gone === x.rec.id);
      const present = (x, id) => x.t.some((q) => q.pres === id);
      s.t.forEach((t, i) => {
        const n = `tab${i}`;
        if (t.pc === 'dead') return;
        const more = s.next <= c.grants;
        // ---- acquire
        if (t.pc === 'idle' && more)
          step(`${n} asks for the gate`, (x) => {
            x.t[i].pc = 'ask';
          });
        if (t.pc === 'ask' && !s.t.some((q) => q.web))
          step(`${n} is granted the gate`, (x) => {
            x.t[i].web = true;
            x.t[i].pc = 'gate';
          });
        if (t.pc === 'ask')
          step(`${n} times out, goes the file path`, (x) => {
            x.t[i].pc = 'file';
          });
        for (const [pc, via] of [
          ['gate', 'web'],
          ['file', 'file'],
        ])
          if (t.pc === pc) {
            if (!more) {
              step(`${n} gives up`, (x) => drop(x, i));
              continue;
            }
            if (via === 'web' && c.record === 'file-only') {
              step(`${n} holds by the gate, no record`, (x) => {
                Object.assign(x.t[i], { pc: 'held', id: x.next++, tok: x.rec.tok + 1, valid: true, base: x.cur });
              });
              continue;
            }
            if (via === 'web' && c.record === 'or-web-only' && s.b.fa)
              step(`${n} cannot open .lock, holds by the gate alone`, (x) => {
                x.b.fa--;
                Object.assign(x.t[i], { pc: 'held', id: x.next++, tok: x.rec.tok + 1, valid: true, base: x.cur });
              });
            if (c.rmw === 'readback') {
              if (!t.p)
                step(`${n} reads the record: free`, (x) => {
                  if (conflict(x, via)) {
                    drop(x, i);
                    return;
                  }
                  x.t[i].p = { tok: x.rec.tok + 1, id: x.next++ };
                });
              else if (!t.p.w)
                step(`${n} writes the record, token ${t.p.tok}, and waits`, (x) => {
                  x.rec = { ...FREE, tok: t.p.tok, first: t.p.tok, id: t.p.id, live: true, strat: via };
                  x.t[i].p.w = 1;
                });
              else
                step(`${n} reads back: mine`, (x) => {
                  if (x.rec.id !== t.p.id) {
                    drop(x, i);
                    return;
                  }
                  if (t.p.tok <= x.top && !c.noI2) return `I2: token ${t.p.tok} was given out before`;
                  x.top = t.p.tok;
                  Object.assign(x.t[i], { tok: t.p.tok, id: t.p.id });
                  hold(x, i);
                });
              continue;
            }
            if (free)
              step(`${n} in the mutex: ${via} grant, or conflict`, (x) => {
                if (conflict(x, via, t.p?.gone)) {
                  if (x.rec.pres && !present(x, x.rec.id) && !t.p?.gone) {
                    x.t[i].p = { gone: x.rec.id };
                    return;
                  }
                  drop(x, i);
                  return;
                } // probe of the presence lock: then once more
                const bad = write(x, i, via);
                if (bad) return bad;
                if (via === 'file' && c.presence === 'after') {
                  x.t[i].pc = 'late-presence';
                  return;
                }
                hold(x, i);
              });
          }
        if (t.pc === 'late-presence')
          step(`${n} takes its presence lock after the record, holds`, (x) => {
            x.t[i].pres = t.id;
            hold(x, i);
          });
        // ---- take over: read, ask, silence; raise the token in the record (compare-and-swap, cool-down), then steal
        if (s.b.ta && t.pc === 'idle' && s.rec.live && more)
          step(`${n} reads token ${s.rec.tok}, asks, hears nothing`, (x) => {
            x.b.ta--;
            x.t[i].pc = 'please';
            x.t[i].p = { seen: x.rec.tok };
          });
        if (t.pc === 'please' && free)
          step(`${n} in the mutex: raises the token if it is still ${t.p.seen} and the cool-down is over`, (x) => {
            if (x.rec.tok !== t.p.seen || x.rec.cool || !more) {
              drop(x, i);
              return;
            }
            x.t[i].p = null;
            const bad = write(x, i, 'web', { cool: true, old: x.rec.id });
            if (bad) return bad;
            x.t[i].pc = 'steal';
          });
        if (t.pc === 'steal')
          step(`${n} steals the gate`, (x) => {
            x.t.forEach((q, j) => {
              if (j !== i && q.web) {
                q.web = false;
                if (q.pc === 'gate') drop(x, j);
                else q.told = true;
              }
            });
            x.t[i].web = true;
            if (c.lookAgain) x.t[i].pc = 'look';
            else {
              if (x.t[i].valid && x.rec.id !== t.id)
                return "take-over granted although the record is already another's: nobody can save";
              hold(x, i);
            }
          });
        if (t.pc === 'look' && free)
          step(`${n} looks at the record again`, (x) => {
            if (x.rec.id === t.id && x.rec.live) hold(x, i);
            else x.t[i].pc = 'gate';
          });
        if (t.told)
          step(`${n} is told that its gate was stolen: read-only`, (x) => {
            drop(x, i);
          });
        // ---- held
        if (t.pc === 'held') {
          if (!t.valid)
            step(`${n} sees its deadline passed: read-only`, (x) => {
              drop(x, i);
            });
          if (t.base < 0 && t.valid && free) {
            // recovery by the new holder, in the mutex; only the late rename is not stopped by it
            if (c.recover === 'delete-first')
              step(`${n} in the mutex: deletes temporaries of lower tokens, reads the document`, (x) => {
                if (x.rec.id !== t.id) {
                  drop(x, i);
                  return;
                }
                x.late = null;
                x.t[i].base = x.cur;
              });
            else
              step(`${n} in the mutex: reads the document (temporaries go later)`, (x) => {
                if (x.rec.id !== t.id) {
                  drop(x, i);
                  return;
                }
                x.t[i].base = x.cur;
              });
          }
          const commit = (x, tok, id, from) => {
            const last = x.hist.at(-1);
            if (last && tok < last[0]) return `I1: save with token ${tok} accepted after token ${last[0]}`;
            if (last && tok === last[0] && id !== last[1]) return `I1: two leases saved with token ${tok}`;
            if (x.cur !== from) return `lost update: token ${tok} saved over a document its tab had not read`;
            x.hist.push([tok, id]);
            x.cur++;
          };
          if (t.base >= 0 && !t.p && s.hist.length < c.saves && t.valid)
            step(
              `${n} has written its temporary; ${c.commit === 'mutex' ? 'in the mutex' : 'outside any mutex'}: ` +
                `the record is mine (token ${t.tok})`,
              (x) => {
                if (c.commit === 'mutex' && x.mx !== -1) return false;
                if (c.compare && !(x.rec.id === t.id && x.rec.live) && !(c.record !== 'always' && t.web)) {
                  drop(x, i);
                  return;
                }
                if (c.commit === 'mutex') x.mx = i;
                x.t[i].p = { sv: 1 };
              },
            );
          if (t.p?.sv) {
            step(`${n} renames to current.json (token ${t.tok})`, (x) => {
              const bad = commit(x, t.tok, t.id, t.base);
              if (bad) return bad;
              x.t[i].base = x.cur;
              x.t[i].p = null;
              if (x.mx === i) x.mx = -1;
            });
            if (s.b.la)
              step(`${n} dies inside; its rename is already sent`, (x) => {
                x.b.la--;
                x.late = { tok: t.tok, id: t.id, base: t.base };
                drop(x, i);
                x.t[i].pc = 'dead';
              });
          } else if (!t.told) {
            if (c.block > 1 && !t.sec)
              step(`${n} begins its next section, token ${t.tok + 1}`, (x) => {
                x.t[i].tok++;
                x.t[i].sec = 1;
                if (x.t[i].tok > x.top) return 'section outside its block';
              });
            if (free)
              step(`${n} releases`, (x) => {
                if (x.rec.id === t.id)
                  x.rec = c.release === 'delete' ? { ...FREE, tok: savedTok(x) } : { ...x.rec, live: false };
                drop(x, i);
              });
          }
        }
        if (s.b.dr && (t.web || t.pres) && t.pc === 'held')
          step(`the browser takes gate and presence lock of ${n} away (page cache); ${n} is not told`, (x) => {
            x.b.dr--;
            x.t[i].web = false;
            x.t[i].pres = 0;
          });
        if (s.b.d && t.pc !== 'idle')
          step(`${n} dies${s.mx === i ? ' inside the mutex' : ''}`, (x) => {
            x.b.d--;
            drop(x, i);
            x.t[i].pc = 'dead';
          });
        if (s.b.fo && t.pc === 'idle' && s.rec.id && free)
          step(`${n} forces a release (holder not told)`, (x) => {
            x.b.fo--;
            x.rec = c.release === 'delete' ? { ...FREE, tok: savedTok(x) } : { ...x.rec, live: false, id: 0 };
          });
      });
      if (s.late)
        step(`the dead tab's rename lands (token ${s.late.tok})`, (x) => {
          const l = x.late;
          x.late = null;
          const last = x.hist.at(-1);
          if (last && l.tok < last[0]) return `I1: current.json went back from token ${last[0]} to ${l.tok}`;
          x.hist.push([l.tok, l.id]);
          x.cur++;
        });
      if (s.rec.live)
        step('the record expires', (x) => {
          x.rec.live = false;
          for (const q of x.t) if (q.id === x.rec.id) q.valid = false;
        });
      if (s.rec.cool)
        step('the cool-down is over', (x) => {
          x.rec.cool = false;
        });
      if (s.b.lo && s.rec.id && free)
        step('the record is lost (no valid slot), rebuilt', (x) => {
          x.b.lo--;
          x.rec = { ...FREE, tok: c.floor === 'clock' ? x.top : savedTok(x) };
        });
      function savedTok(x) {
        return x.hist.at(-1)?.[0] ?? 0;
      }
    },
    invariant(s) {
      if (s.bad) return s.bad;
      if (c.believe && s.t.filter((t) => t.pc === 'held' && t.valid && !t.told && !t.over).length > 1)
        return 'two tabs hold at once, both inside their time';
    },
    measure: (s) => ({ holders: s.t.filter((t) => t.pc === 'held').length }),
  };
}
const V = variants(model),
  Q = { grants: 2 };
report('D  project lock', [
  V('repaired: gate, file path, expiry, death: one holder', 'OK', { believe: true }),
  V('repaired: take-over and forced release', 'OK', { takeovers: 1, forces: 1 }, { ...Q, deaths: 0 }),
  V(
    'repaired: two take-overs, three tabs: one holder, apart from the one overruled',
    'OK',
    { takeovers: 2, tabs: 3, deaths: 0, saves: 0, believe: true },
    { takeovers: 1 },
  ),
  V('repaired: three tabs, death, take-over', 'OK', { tabs: 3, takeovers: 1, saves: 1, grants: long ? 3 : 2 }, null),
  V('repaired: two tabs, four grants, take-over', 'OK', { takeovers: 1, grants: 4, saves: 3, deaths: 0 }, null),
  V('repaired: session path (block of 2), take-over, death', 'OK', { block: 2, takeovers: 1 }, { ...Q, takeovers: 0 }),
  V("repaired: dying tab's rename lands later; temporaries of lower tokens deleted before reading", 'OK', {
    late: 1,
    deaths: 0,
  }),
  V('repaired: record lost while held; new token above the clock', 'OK', { losses: 1, deaths: 0 }),
  V('gate and presence lock lost without notice: two tabs may believe …', 'VIOLATION', {
    drops: 1,
    deaths: 0,
    believe: true,
  }),
  V('  … but only one can save', 'OK', { drops: 1 }, Q),
  V('first draft: a Web Lock holder writes no record', 'VIOLATION', { record: 'file-only', believe: true, deaths: 0 }),
  V('.lock cannot be opened: granted on the Web Lock alone', 'VIOLATION', {
    record: 'or-web-only',
    fails: 1,
    believe: true,
    deaths: 0,
  }),
  V('write, wait, read back', 'VIOLATION', { rmw: 'readback', deaths: 0 }),
  V('save: checked, then renamed outside the mutex', 'VIOLATION', { commit: 'outside', deaths: 0 }),
  V('save in the mutex without comparing the record', 'VIOLATION', { compare: false, deaths: 0, takeovers: 1 }),
  V('release deletes the record: tokens come again', 'VIOLATION', { release: 'delete', deaths: 0 }),
  V('gate in hand beats a live file-lock record too', 'VIOLATION', { gateBeats: 'any', deaths: 0, believe: true }),
  V('presence lock taken after the record is written', 'VIOLATION', { presence: 'after', deaths: 0, believe: true }),
  V('session path: the record shows the first token of the block', 'VIOLATION', {
    block: 2,
    session: 'first',
    deaths: 0,
  }),
  V('take-over: not looked at the record again after the steal', 'VIOLATION', {
    lookAgain: false,
    takeovers: 1,
    tabs: 3,
    deaths: 0,
    believe: true,
    grants: 3,
    saves: 0,
  }),
  V("dying tab's rename lands later; new holder reads, then deletes temporaries", 'VIOLATION', {
    recover: 'read-first',
    late: 1,
    deaths: 0,
  }),
  V('record lost while held; token floor from the saved files only', 'VIOLATION', {
    floor: 'saved',
    losses: 1,
    deaths: 0,
  }),
  V('  … but no save of the older lease is accepted', 'OK', { floor: 'saved', losses: 1, deaths: 0, noI2: true }),
]);
