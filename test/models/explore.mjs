// Explicit-state explorer: breadth first, so every counter-example is a shortest one.
// A model is { init, next(state, step), invariant?(state), goal?(state) }.
//   step(label, fn, opts): fn mutates a private copy; returns false = not enabled, a string = this step breaks a rule.
//   opts.fair: the step belongs to a component that keeps running (weak fairness, one class per `opts.fair` name).
// goal: from every reachable state a goal state must be reached on every fair path (a liveness check by components).
const clone = (v) => {
  if (v === null || typeof v !== 'object') return v;
  if (Array.isArray(v)) {
    const a = new Array(v.length);
    for (let i = 0; i < v.length; i++) a[i] = clone(v[i]);
    return a;
  }
  const o = {};
  for (const k in v) o[k] = clone(v[k]);
  return o;
};
export function explore(model, { limit = 4e6 } = {}) {
  const t0 = performance.now();
  const ids = new Map(),
    from = [],
    label = [],
    keys = [];
  const add = (key, parent, l) => {
    const id = keys.length;
    ids.set(key, id);
    keys.push(key);
    from.push(parent);
    label.push(l);
    return id;
  };
  const trace = (id, tail = []) => {
    const out = [];
    for (let i = id; i > 0; i = from[i]) out.unshift(label[i]);
    return [...out, ...tail];
  };
  const edges = model.goal ? [] : null;
  const done = (verdict, what, tr) => ({
    verdict,
    what,
    trace: tr,
    states: keys.length,
    ms: Math.round(performance.now() - t0),
  });
  const k0 = JSON.stringify(model.init());
  add(k0, -1, 'init');
  const stats = {};
  for (let i = 0; i < keys.length; i++) {
    if (keys.length > limit) return done('LIMIT', `more than ${limit} states`, []);
    const key = keys[i];
    const state = JSON.parse(key);
    if (model.measure) for (const [k, v] of Object.entries(model.measure(state))) stats[k] = Math.max(stats[k] ?? 0, v);
    const bad = model.invariant?.(state);
    if (bad) return { ...done('VIOLATION', bad, trace(i)), stats };
    const out = [];
    let fail = null;
    model.next(state, (l, fn, opts = {}) => {
      if (fail) return;
      const copy = clone(state);
      const r = fn(copy);
      if (r === false) return;
      if (typeof r === 'string') {
        fail = [r, l];
        return;
      }
      model.canon?.(copy);
      const k = JSON.stringify(copy);
      if (k === key) return;
      let j = ids.get(k);
      if (j === undefined) j = add(k, i, l);
      out.push([j, opts.fair ?? null, l]);
    });
    if (fail) return { ...done('VIOLATION', fail[0], trace(i, [fail[1]])), stats };
    if (edges) edges[i] = out;
  }
  if (model.goal) {
    const trap = fairTrap(keys, edges, model);
    if (trap) return { ...done('STUCK', trap.what, trace(trap.id, trap.cycle)), stats };
  }
  return { ...done('OK', '', []), stats };
}

// A strongly connected set of non-goal states that a fair scheduler can stay in for ever.
function fairTrap(keys, edges, model) {
  const n = keys.length,
    isGoal = keys.map((k) => model.goal(JSON.parse(k)));
  const index = new Int32Array(n).fill(-1),
    low = new Int32Array(n),
    on = new Uint8Array(n),
    stack = [];
  let next = 0,
    found = null;
  const comp = (members) => {
    const set = new Set(members);
    const inner = members.flatMap((m) => edges[m].filter(([j]) => set.has(j)));
    if (members.length === 1 && inner.length === 0) {
      if (edges[members[0]].some(([, f]) => f)) return; // it can always leave by a fair step
    } else {
      const fair = new Set(members.flatMap((m) => edges[m].map(([, f]) => f)).filter(Boolean));
      for (const f of fair) {
        const taken = inner.some(([, g]) => g === f);
        const off = members.some((m) => !edges[m].some(([, g]) => g === f));
        if (!taken && !off) return; // fairness forces an exit
      }
    }
    const id = Math.min(...members);
    if (!found || id < found.id)
      found = {
        id,
        what: `can stay for ever in: ${keys[id]}`,
        cycle: inner.length ? [`… cycle: ${[...new Set(inner.map(([, , l]) => l))].slice(0, 6).join(' / ')}`] : [],
      };
  };
  for (let r = 0; r < n; r++) {
    if (index[r] !== -1 || isGoal[r]) continue;
    const work = [[r, 0]];
    index[r] = low[r] = next++;
    stack.push(r);
    on[r] = 1;
    while (work.length) {
      const top = work[work.length - 1],
        [v] = top,
        out = edges[v];
      if (top[1] < out.length) {
        const w = out[top[1]++][0];
        if (isGoal[w]) continue;
        if (index[w] === -1) {
          index[w] = low[w] = next++;
          stack.push(w);
          on[w] = 1;
          work.push([w, 0]);
        } else if (on[w]) low[v] = Math.min(low[v], index[w]);
      } else {
        work.pop();
        if (work.length) {
          const p = work[work.length - 1][0];
          low[p] = Math.min(low[p], low[v]);
        }
        if (low[v] === index[v]) {
          const m = [];
          let w;
          do {
            w = stack.pop();
            on[w] = 0;
            m.push(w);
          } while (w !== v);
          comp(m);
        }
      }
    }
  }
  return found;
}

// --quick: a variant with a fourth argument uses those smaller bounds, or is left out (null); for use in a test
// suite. --long: `long` variants too.
export const quick = process.argv.includes('--quick'),
  long = process.argv.includes('--long');
export const variants =
  (model) =>
  (name, expect, o = {}, q = {}) =>
    quick && q === null ? [] : [{ name, expect, model: model(quick ? { ...o, ...q } : o) }];
// Runs named variants; each says what it expects. Exit code 1 if any answer differs.
export function report(title, list, opts) {
  const variants = list.flat();
  console.log(`\n== ${title}`);
  let wrong = 0,
    total = 0;
  // optional: run the variants whose name contains this
  const only = process.argv.slice(2).find((a) => !a.startsWith('--'));
  for (const { name, model, expect } of variants) {
    if (only && !name.includes(only)) continue;
    const r = explore(model, opts);
    total += r.states;
    const ok = r.verdict === expect;
    if (!ok) wrong++;
    const size = `${String(r.states).padStart(8)} states ${String(r.ms).padStart(6)} ms`;
    const stats = r.stats && Object.keys(r.stats).length ? `  ${JSON.stringify(r.stats)}` : '';
    console.log(`${ok ? ' ' : '!'} ${r.verdict.padEnd(9)} ${size}  ${name}${stats}`);
    if (r.verdict !== 'OK') {
      console.log(`      ${r.what.slice(0, 400)}`);
      if (r.trace.length) console.log(`      ${r.trace.map((l, i) => `${i + 1}. ${l}`).join('\n      ')}`);
    }
  }
  console.log(`${variants.length} variants, ${total} states, ${wrong} unexpected`);
  if (wrong) process.exitCode = 1;
}
