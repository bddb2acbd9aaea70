// A. Lease + fenced resource, line and notice.   run: node lease.mjs
// Two processes (P0 has two local users a, b; P1 has c), one store, one resource. Every request, reply, notice and
// write is a message that can be delayed or lost, a notice also doubled; a paused process is one whose steps simply
// do not come. The store's clock may end a live lease at any moment. Deadlines without numbers: `now` counts grants
// and extensions at the store; a message remembers the `now` at which it was sent. When a lease that was last
// extended at g ends, every deadline counted from a moment before g has passed too (dead = g): "held" means sent >=
// dead. Only the order of these moments is kept.
import { report, variants } from './explore.mjs';

const USERS = { a: 0, b: 0, c: 1 };
const base = {
  // 'none' | 'max' (token >= highest seen) | 'grant' (an equal token only from the same grant) | 'row' (the lease row
  // itself, in the same statement)
  fence: 'max',
  raise: true, // the new holder writes its token at the resource before it reads
  guard: 'token', // renew/release are matched by 'token' or only by 'owner' name
  ownerPer: 'call', // owner name (grant id) per 'call' or per 'process'
  again: 'extends', // acquire again under the same grant id: the same grant, its end 'extends' | 'keeps'; 'new' token
  block: 1, // numbers reserved by a grant (64 in the product)
  record: 'last', // the record keeps the 'last' | 'first' number of the block
  handover: 'off', // inside the process: 'same' token | 'next' number of the block | 'transfer' statement | 'off'
  line: false, // a refused call stands in line; a release grants to the first in line and sends a notice
  // a notice counts: 'refusal' (token above the last refusal's, deadline from when that attempt was sent) | 'attempt'
  // (from the newest attempt) | 'arrival'
  notice: 'refusal',
  // which messages may be lost (a write that is lost is one that never arrives)
  lossy: ['acq', 'granted', 'refused', 'note', 'renew', 'rel', 'xfer'],
  loss: 0, // how often a store crash may lose the newest grant (asynchronous commit, failover)
  // token = max(last + 1, clock): 'paced' (the clock is ahead of the tokens) | 'outrun' (grants quicker than one
  // block per block's width) | 'none'
  clock: 'none',
  dups: 0,
  breaks: 0,
  renews: false,
  msgs: 2,
  tokens: 3,
  writes: 2,
  calls: 2,
  users: ['a', 'c'],
};
export function model(o) {
  const c = { ...base, ...o };
  const names = c.users,
    B = c.block;
  const ownerOf = (u, n) => (c.ownerPer === 'call' ? `${u}${n}` : `P${USERS[u]}`);
  return {
    init: () => ({
      st: { own: null, tok: 0, live: false, g: 0, q: [], who: '' },
      now: 0,
      dead: 0,
      top: 0,
      gs: 0,
      clk: c.clock === 'none' ? 0 : B,
      ticks: 0,
      saved: null,
      loss: c.loss,
      breaks: c.breaks,
      dups: c.dups,
      res: { seen: 0, by: '', hist: [] },
      msg: [],
      bad: null,
      u: Object.fromEntries(
        names.map((u) => [
          u,
          { pc: 'idle', n: 0, id: '', at: 0, ref: -1, refAt: 0, tok: 0, last: 0, read: 0, w: 0, h: 0 },
        ]),
      ),
      holds: 0,
    }),
    next(s, step) {
      const valid = (x, u) => x.u[u].pc === 'held' && x.u[u].at >= x.dead;
      const can = (x) => x.gs < c.tokens && (c.clock !== 'paced' || x.st.tok < x.clk);
      const grant = (x, own, who) => {
        // the store makes a grant: numbers first … first + B - 1
        const first = Math.max(x.st.tok + 1, c.clock === 'none' ? 0 : x.clk),
          last = first + B - 1;
        if (c.loss) x.saved = { ...x.st };
        if (first <= x.top && !c.noI2) x.bad = `I2: token ${first} was given out before`;
        x.top = Math.max(x.top, last);
        x.gs++;
        x.now++;
        x.st = {
          ...x.st,
          own,
          tok: c.record === 'last' ? last : first,
          live: true,
          g: x.now,
          who,
          q: x.st.q.filter((q) => q[1] !== own),
        };
        return first;
      };
      const take0 = (v, tok, at) =>
        Object.assign(v, {
          pc: 'held',
          tok,
          last: c.record === 'last' ? tok + B - 1 : tok,
          at,
          read: 0,
          w: 0,
          ref: -1,
          refAt: 0,
        });
      const idle = (v) =>
        Object.assign(v, { pc: 'idle', id: '', at: 0, ref: -1, refAt: 0, tok: 0, last: 0, read: 0, w: 0 });
      for (const name of names) {
        const u = s.u[name],
          ok = valid(s, name);
        if (u.pc === 'idle' && u.n < (name === names[0] ? c.calls : 1) && s.gs < c.tokens)
          step(`${name} sends acquire`, (x) => {
            const v = x.u[name];
            if (x.msg.length >= c.msgs) return false;
            v.n++;
            v.id = ownerOf(name, v.n);
            v.pc = 'ask';
            v.at = x.now;
            x.msg.push(['acq', name, v.id, v.at]);
          });
        if (u.pc === 'ask')
          step(`${name} asks again (reply lost, or poll)`, (x) => {
            if (x.msg.length >= c.msgs || x.msg.some((m) => m[0] === 'acq' && m[1] === name)) return false;
            x.u[name].at = x.now;
            x.msg.push(['acq', name, u.id, x.now]);
          });
        if (u.pc === 'held') {
          if (c.writes)
            step(`${name} reads the resource`, (x) => {
              const v = x.u[name];
              if (!ok || v.read) return false;
              if (c.raise && c.fence !== 'none') {
                if (
                  x.res.seen > v.tok ||
                  (c.fence === 'grant' && x.res.seen === v.tok && x.res.by && x.res.by !== v.id)
                ) {
                  idle(v);
                  return;
                }
                x.res.seen = v.tok;
                x.res.by = v.id;
              }
              v.read = x.res.hist.length + 1;
            });
          step(`${name} sees its lease valid, sends write`, (x) => {
            const v = x.u[name];
            if (!ok || !v.read || v.w || x.msg.length >= c.msgs || x.res.hist.length >= c.writes) return false;
            v.w = 1;
            x.msg.push(['write', name, v.id, v.tok, v.read, v.h, v.last]);
          });
          if (c.renews)
            step(`${name} sends renew`, (x) => {
              if (!ok || x.msg.length >= c.msgs || x.msg.some((m) => m[0] === 'renew')) return false;
              x.msg.push(['renew', name, u.id, u.last]);
            });
          step(`${name} releases`, (x) => {
            const v = x.u[name];
            if (x.msg.length >= c.msgs) return false;
            const peer = names.find((p) => p !== name && USERS[p] === USERS[name] && x.u[p].pc === 'idle');
            const give = (tok) =>
              Object.assign(x.u[peer], {
                pc: 'held',
                tok,
                last: v.last,
                id: v.id,
                at: v.at,
                read: 0,
                w: 0,
                h: ++x.holds,
              });
            if (peer && c.handover === 'same' && ok) give(v.tok);
            else if (peer && c.handover === 'next' && ok && v.tok < v.last)
              give(v.tok + 1); // used up: back to the store
            else if (peer && c.handover === 'transfer' && ok) x.msg.push(['xfer', peer, v.id, v.last]);
            else x.msg.push(['rel', name, v.id, v.last]);
            idle(v);
          });
          if (!ok)
            step(`${name} notices its deadline has passed, stops`, (x) => {
              idle(x.u[name]);
            });
        }
      }
      if (s.st.live)
        step(`store clock: lease ${s.st.tok} ends`, (x) => {
          x.st.live = false;
          x.dead = Math.max(x.dead, x.st.g);
        });
      if (c.clock !== 'none' && s.ticks < c.tokens - 1)
        step("a block's width passes on the store's clock", (x) => {
          x.ticks++;
          x.clk += B;
        });
      if (s.breaks && s.st.own)
        step('operator breaks the lease', (x) => {
          x.breaks--;
          x.st.own = null;
          x.st.live = false;
        });
      if (s.loss && s.saved)
        step('store crashes, comes back without its newest grant', (x) => {
          x.loss--;
          x.st = { ...x.saved };
          x.saved = null;
          if (c.clock !== 'none') x.clk += B;
        });
      s.msg.forEach((m, i) => {
        if (i && JSON.stringify(m) === JSON.stringify(s.msg[i - 1])) return;
        const take = (x) => x.msg.splice(i, 1);
        const [op, who, own, arg, arg2, h, last] = m;
        if (c.lossy.includes(op)) step(`network loses ${op} of ${who}`, take);
        if (op === 'acq')
          step(`store executes acquire of ${own}`, (x) => {
            take(x);
            const v = x.u[who],
              reply = (r) => {
                if (v.pc === 'ask' && v.id === own) x.msg.push(r);
              };
            const held = x.st.own && x.st.live;
            if (x.st.own === own && c.again !== 'new') {
              // the same grant again
              if (c.again === 'extends') {
                x.now++;
                x.st.g = x.now;
                x.st.live = true;
              } else if (!held) return;
              reply(['granted', who, own, c.record === 'last' ? x.st.tok - B + 1 : x.st.tok, arg]);
              return;
            }
            if (held && x.st.own !== own) {
              if (!c.line) return;
              if (!x.st.q.some((q) => q[1] === own)) x.st.q = [...x.st.q, [who, own]];
              reply(['refused', who, own, x.st.tok, arg]);
              return;
            }
            if (!can(x)) return false; // bound of the model, or: waits for the clock
            reply(['granted', who, own, grant(x, own, who), arg]);
          });
        if (op === 'granted')
          step(`${who} learns it holds token ${arg}`, (x) => {
            take(x);
            const v = x.u[who];
            if (v.pc !== 'ask' || v.id !== own) return;
            take0(v, arg, arg2);
            if (c.sameTok) v.h = ++x.holds;
          });
        if (op === 'refused')
          step(`${who} learns it is refused (token ${arg})`, (x) => {
            take(x);
            const v = x.u[who];
            if (v.pc !== 'ask' || v.id !== own) return;
            v.ref = arg;
            v.refAt = arg2;
          });
        if (op === 'note') {
          const hear = (x) => {
            const v = x.u[who];
            if (v.pc !== 'ask' || v.id !== own) return;
            if (c.notice === 'refusal' && (v.ref < 0 || arg <= v.ref)) return;
            const at = c.notice === 'arrival' ? x.now : c.notice === 'attempt' ? v.at : v.refAt;
            if (at >= x.dead) take0(v, arg, at);
          };
          step(`notice of token ${arg} reaches ${who}`, (x) => {
            take(x);
            hear(x);
          });
          if (s.dups)
            step(`notice of token ${arg} reaches ${who}, and will come again`, (x) => {
              x.dups--;
              hear(x);
            });
        }
        if (op === 'xfer')
          step(`store executes transfer to ${who}`, (x) => {
            take(x);
            if (x.st.tok !== arg || x.st.own !== own || !x.st.live) return;
            const v = x.u[who];
            if (v.pc !== 'idle' || !can(x)) {
              x.st.own = null;
              x.st.live = false;
              return;
            }
            v.id = `${who}x`;
            v.pc = 'ask';
            v.at = x.now;
            x.msg.push(['granted', who, v.id, grant(x, v.id, who), v.at]);
          });
        const mine = (x) => x.st.own === own && (c.guard === 'owner' || x.st.tok === arg);
        if (op === 'renew')
          step(`store executes renew of ${own} (${arg})`, (x) => {
            take(x);
            if (!mine(x) || (!x.st.live && c.guard !== 'owner')) return;
            if (x.st.tok !== arg && x.st.who !== who)
              return `I3: renew of grant ${arg} succeeded against grant ${x.st.tok}`;
            x.st.live = true;
          });
        if (op === 'rel')
          step(`store executes release of ${own} (${arg})`, (x) => {
            take(x);
            if (!mine(x)) return;
            if (x.st.tok !== arg && x.st.who !== who) return `I3: release of grant ${arg} ended grant ${x.st.tok}`;
            if (x.st.q.length && can(x)) {
              const [hw, ho] = x.st.q[0];
              x.msg.push(['note', hw, ho, grant(x, ho, hw)]);
              return;
            }
            x.st.own = null;
            x.st.live = false;
          });
        if (op === 'write')
          step(`write of ${who} with token ${arg} arrives`, (x) => {
            take(x);
            const r = x.res;
            if ((c.fence === 'max' || c.fence === 'grant') && arg < r.seen) return;
            if (c.fence === 'grant' && arg === r.seen && r.by !== '' && r.by !== own) return;
            if (c.fence === 'row' && !(x.st.tok === last && x.st.own === own)) return;
            const worst = r.hist.reduce((a, b) => Math.max(a, b[0]), 0);
            if (arg < worst) return `I1: token ${arg} accepted after token ${worst}`;
            if (r.hist.some((b) => b[0] === arg && b[1] !== own))
              return `I1: two holders wrote with the same token ${arg}`;
            const prev = r.hist.at(-1);
            if (c.lostUpdate && prev && prev[1] !== own && arg2 <= r.hist.length && prev[0] !== arg)
              return `lost update: ${who} (token ${arg}) overwrote an unread write of token ${prev[0]}`;
            if (c.sameTok && r.hist.some((b) => b[3] > h))
              return `hand-over: ${who}'s late write landed after its successor's, same token ${arg}`;
            r.hist.push([arg, own, who, h]);
            r.seen = Math.max(r.seen, arg);
            r.by = own;
          });
      });
    },
    invariant(s) {
      if (s.bad) return s.bad;
      if (c.believe && names.filter((u) => s.u[u].pc === 'held' && s.u[u].at >= s.dead).length > 1)
        return 'two users believe at once, both within their deadline';
    },
    canon(s) {
      const at = { acq: 3, granted: 4, refused: 4 },
        us = Object.values(s.u);
      if (!s.st.live) s.st.g = 0;
      const all = [
        ...new Set([
          0,
          s.now,
          s.dead,
          s.st.g,
          s.saved?.g ?? 0,
          ...us.flatMap((u) => [u.at, u.refAt]),
          ...s.msg.map((m) => (at[m[0]] ? m[at[m[0]]] : 0)),
        ]),
      ].sort((x, y) => x - y);
      const r = (v) => all.indexOf(v);
      s.now = r(s.now);
      s.dead = r(s.dead);
      s.st.g = r(s.st.g);
      if (s.saved) s.saved.g = r(s.saved.g);
      for (const u of us) {
        u.at = r(u.at);
        u.refAt = r(u.refAt);
      }
      for (const m of s.msg) if (at[m[0]]) m[at[m[0]]] = r(m[at[m[0]]]);
      s.msg = s.msg
        .map((m) => JSON.stringify(m))
        .sort()
        .map((m) => JSON.parse(m));
    },
    measure: (s) => ({ believers: names.filter((u) => s.u[u].pc === 'held').length }),
  };
}
const V = variants(model),
  local = { users: ['a', 'b'], sameTok: true, believe: true },
  line = { line: true, writes: 0, believe: true, lossy: ['note'] };
report('A  lease + fenced resource', [
  V(
    'repaired: fence at the resource, raised before the first read; one believer',
    'OK',
    { lostUpdate: true, believe: true },
    { calls: 1 },
  ),
  V('repaired: the same with renewals', 'OK', { renews: true, writes: 1, believe: true, tokens: 2 }, null),
  V('repaired: an operator breaks the lease', 'OK', { breaks: 1, lostUpdate: true, tokens: 2, calls: 1 }, null),
  V(
    'repaired: fence = the lease row itself, in the same statement',
    'OK',
    { fence: 'row', raise: false, lostUpdate: true },
    { calls: 1 },
  ),
  V(
    'repaired: hand-over takes the next number of the block, fence at the resource',
    'OK',
    { ...local, block: 2, handover: 'next', tokens: 2, lostUpdate: true },
    { calls: 1 },
  ),
  V(
    'repaired: hand-over by a transfer statement, the lease row is the fence',
    'OK',
    { ...local, handover: 'transfer', fence: 'row', raise: false, calls: 1 },
    { tokens: 2 },
  ),
  V('repaired: line and notice (lost, late, doubled)', 'OK', { ...line, dups: 1 }, { calls: 1, tokens: 3 }),
  V('repaired: line, notice, writes', 'OK', { ...line, writes: 2, calls: 1, tokens: 2, lostUpdate: true }, null),
  V(
    'repaired: line and notice, blocks and local hand-over, three users',
    'OK',
    { ...line, block: 2, handover: 'next', users: ['a', 'b', 'c'], calls: 1, tokens: 2 },
    null,
  ),
  V(
    'repaired: store loses its newest grant, clock half ahead of the tokens (no reuse, fence holds)',
    'OK',
    { loss: 1, clock: 'paced', block: 2, lostUpdate: true, tokens: 2, calls: 1, lossy: [] },
    { writes: 0 },
  ),
  V('no fence', 'VIOLATION', { fence: 'none' }),
  V('fence checked only on write', 'VIOLATION', { raise: false, lostUpdate: true }),
  V('renew/release by owner name, name per process', 'VIOLATION', {
    guard: 'owner',
    ownerPer: 'process',
    again: 'new',
    users: ['a', 'b'],
    renews: true,
  }),
  V('same grant id again is answered without extending its end', 'VIOLATION', {
    again: 'keeps',
    believe: true,
    writes: 0,
  }),
  V('hand-over keeps the token', 'VIOLATION', { ...local, handover: 'same' }),
  V('hand-over takes the next number, but the fence is the lease row', 'VIOLATION', {
    ...local,
    block: 2,
    handover: 'next',
    fence: 'row',
    raise: false,
  }),
  V('the record keeps the first number of the block', 'VIOLATION', { block: 2, record: 'first' }),
  V('notice dated by its arrival', 'VIOLATION', { ...line, notice: 'arrival' }),
  V('notice dated by the newest attempt, refusal not compared', 'VIOLATION', { ...line, notice: 'attempt' }),
  V('store loses its newest grant, plain counter', 'VIOLATION', { loss: 1 }),
  V(
    '  … the fence refuses an equal token of another grant (I2 is lost, I1 holds)',
    'OK',
    { loss: 1, fence: 'grant', noI2: true, tokens: 2, calls: 1, lossy: [] },
    null,
  ),
  V('store loses its newest grant, tokens have outrun the clock', 'VIOLATION', {
    loss: 1,
    clock: 'outrun',
    block: 2,
    lossy: [],
  }),
]);
