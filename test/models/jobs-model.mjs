// B. JobRun: the model. Its variants are in jobs.mjs.
// Two would-be leaders, two workers, one run and its retry row(s). A leader is granted its lease (the token is its
// epoch), raises the fence row, then reads; from what it reads it sends one guarded statement that compares its epoch
// with the fence row and may execute any time later (that is the paused or deposed leader). Workers can die, fall
// silent and come back, lose the reply of a committed start, be drained; a user may cancel at any moment; the
// leader's lease may end at any moment. Budgets bound the faults; everything else is unbounded and interleaved
// freely.
const TABLE = new Set([
  'PENDING>ASSIGNED',
  'ASSIGNED>RUNNING',
  'RUNNING>SUCCEEDED',
  'RUNNING>FAILED',
  'RUNNING>TIMED_OUT',
  'ASSIGNED>CANCELED',
  'RUNNING>CANCELED',
  'ASSIGNED>ORPHANED',
  'ORPHANED>ASSIGNED',
  'PENDING>CANCELED',
  'ORPHANED>CANCELED',
]);
const END = new Set(['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELED']);

const base = {
  // the repaired protocol; each failing variant turns one rule off
  epochCheck: true, // every leader statement requires token(fence row) = its epoch
  raiseFirst: true, // a new leader raises the fence before it reads
  raiseUp: true, // … and only upwards
  startToken: true, // handlers get start_token from a sequence | epoch:attempt
  beatClears: true, // an accepted heartbeat sets CONFIRMING back to NONE on what the worker still owns
  overdueWaits: true, // overdue does not end a run that is CONFIRMING before its deadline
  leaderMayEnd: true, // a leader may write RUNNING → TIMED_OUT (own guard), not only the assigned worker
  // RUNNING on a silent worker, continuation NONE: 'confirm' (leader sets CONFIRMING + deadline) | 'ignore'
  silentNone: 'confirm',
  unknownStart: 'reread', // start committed, reply lost: 'reread' | 'stop'
  reconcile: true, // heartbeat answers with the runs this worker still owns: it aborts the others
  leaderOverdue: false, // leader ends RUNNING rows past their own time-out, whoever lives
  sameId: false, // a restarted worker comes back under its old id
  cancelWins: true, // a requested cancel suppresses the retry; the leader ends such a run as CANCELED
  retryTx: true, // FAILED/TIMED_OUT and the retry row are one transaction
  carry: true, // attempt number goes on over retry rows
  uniqueRetry: true, // unique index on retry_of
  drainFrees: true, // ASSIGNED on a draining worker is orphaned too
  flagBumps: false, // setting cancel/continuation flags raises `version`, and a worker stops on 0 rows
  pickOrphans: true, // the assign step takes PENDING and ORPHANED
  // ungated: workers claim and start in one statement, the epoch read without a lock | gated: the leader assigns
  fused: false,
  attemptGuard: true, // worker's writes require its own attempt
  // RUNNING → end: 'start' (equal to the epoch in the row) | 'current' (misreading: equal to the leader of now)
  finishEpoch: 'start',
  retries: 1,
  epochs: 2,
  deaths: 1,
  leaderDeaths: 1,
  silences: 1,
  losses: 1,
  cancels: 1,
  drains: 0,
  restarts: 0,
  wconfirms: 0,
  workers: 2,
};
export function model(o) {
  const c = { ...base, ...o };
  const row = (ro, att) => ({
    st: 'PENDING',
    w: -1,
    att,
    ver: 0,
    ep: 0,
    cont: 'NONE',
    due: false,
    cx: false,
    ro,
    over: false,
  });
  const set = (x, r, to) => {
    const R = x.R[r];
    if (!TABLE.has(`${R.st}>${to}`)) {
      x.bad = `illegal ${R.st} → ${to}`;
      return;
    }
    R.st = to;
    R.ver++;
    if (END.has(to)) {
      R.cont = 'NONE';
      R.due = false;
      R.over = false;
    }
  };
  const wantsRetry = (x, r) =>
    ['FAILED', 'TIMED_OUT'].includes(x.R[r].st) && depth(x, r) < c.retries && !(c.cancelWins && x.R[r].cx);
  const depth = (x, r) => {
    let n = 0;
    for (let i = r; x.R[i].ro >= 0; i = x.R[i].ro) n++;
    return n;
  };
  const retry = (x, r) => {
    if (!wantsRetry(x, r)) return;
    if (c.uniqueRetry && x.R.some((q) => q.ro === r)) return;
    x.R.push(row(r, c.carry ? x.R[r].att + 1 : 1));
    if (x.R[r].cx) x.bad = 'a run whose cancel was requested got a successor';
  };
  const begin = (x, r, ep) => {
    const R = x.R[r];
    R.ep = ep;
    if (c.startToken) return;
    const t = [R.ep, R.att];
    if (x.top && (t[0] < x.top[0] || (t[0] === x.top[0] && t[1] <= x.top[1])))
      x.bad = `start token ${t.join(':')} not above the predecessor's ${x.top.join(':')}`;
    x.top = t;
  };
  return {
    init: () => ({
      ep: 1,
      fe: 1,
      live: true,
      L: [
        { ep: 1, led: true, up: true, s: null },
        { ep: 0, led: false, up: true, s: null },
      ],
      W: Array.from({ length: c.workers }, () => ({ up: true, fresh: true, drain: false, ex: [], p: null })),
      R: [row(-1, 1)],
      b: {
        d: c.deaths,
        ld: c.leaderDeaths,
        si: c.silences,
        lo: c.losses,
        cx: c.cancels,
        dr: c.drains,
        re: c.restarts,
        wc: c.wconfirms,
      },
      top: null,
      bad: null,
    }),
    next(s, step) {
      // ---- leadership
      if (s.live)
        step('leader lease ends', (x) => {
          if (x.ep >= c.epochs && !c.noLeader) return false;
          x.live = false;
        });
      s.L.forEach((L, l) => {
        if (!s.live && L.up && s.ep < c.epochs + 1 && !c.noLeader)
          step(
            `L${l} becomes leader, epoch ${s.ep + 1}`,
            (x) => {
              x.ep++;
              x.live = true;
              x.L[l].ep = x.ep;
              x.L[l].led = !c.raiseFirst;
              delete x.L[l].read;
              x.L[l].s = null;
            },
            { fair: `elect${l}` },
          );
        if (L.up && L.ep && L.ep !== s.fe && (!L.led || !c.raiseFirst))
          step(
            `L${l} raises the fence to ${L.ep}`,
            (x) => {
              if (c.raiseUp && x.fe > L.ep) {
                x.L[l].ep = 0;
                x.L[l].led = false;
                return;
              }
              x.fe = L.ep;
              x.L[l].led = true;
            },
            { fair: `raise${l}` },
          );
        if (L.up && s.b.ld)
          step(`L${l} dies`, (x) => {
            x.b.ld--;
            x.L[l] = { ep: 0, led: false, up: false, s: L.s };
            if (L.ep === x.ep) x.live = false;
          });
        if (L.up && L.ep && L.ep < s.ep)
          step(
            `L${l} notices it is deposed`,
            (x) => {
              x.L[l].ep = 0;
              x.L[l].led = false;
            },
            { fair: `depose${l}` },
          );
        if (L.up && L.led && !L.s) {
          // decide from what it reads now; execute later
          const f = { fair: `decide${l}` };
          s.R.forEach((R, r) => {
            const gone = (w, alsoDrain) => !s.W[w].fresh || (alsoDrain && c.drainFrees && s.W[w].drain);
            const st = (k, w = -1) =>
              step(
                `L${l} decides ${k} run${r}${w >= 0 ? ` to W${w}` : ''}`,
                (x) => {
                  x.L[l].s = { k, r, ver: R.ver, w, ep: L.ep };
                  if (!c.raiseFirst) x.L[l].read = true;
                },
                f,
              );
            if (!c.fused && (R.st === 'PENDING' || (R.st === 'ORPHANED' && c.pickOrphans)))
              s.W.forEach((W, w) => {
                if (W.fresh && !W.drain) st('assign', w);
              });
            if (R.st === 'ASSIGNED' && gone(R.w, true)) st('orphan');
            if (R.st === 'RUNNING' && gone(R.w) && R.cont === 'NONE' && c.silentNone === 'confirm') st('confirm');
            if (R.st === 'RUNNING' && gone(R.w) && R.cont === 'CONFIRMING' && R.due) st('lost');
            if (R.st === 'RUNNING' && R.over && c.leaderOverdue && (!c.overdueWaits || R.cont === 'NONE' || R.due))
              st('overdue');
            if (!c.retryTx && wantsRetry(s, r) && !s.R.some((q) => q.ro === r)) st('retry');
          });
        }
        if (L.s) {
          step(
            `statement of L${l} (epoch ${L.s.ep}) executes: ${L.s.k}`,
            (x) => {
              const q = L.s;
              x.L[l].s = null;
              if (c.epochCheck && q.ep !== x.fe) return;
              const before = JSON.stringify(x.R);
              const R = x.R[q.r],
                W = R.w >= 0 ? x.W[R.w] : null;
              if (R.ver !== q.ver && q.k !== 'retry') return;
              const silent = W && !W.fresh;
              if (q.k === 'assign') {
                R.w = q.w;
                if (R.st === 'ORPHANED') R.att++;
                set(x, q.r, 'ASSIGNED');
              }
              if (q.k === 'orphan' && (silent || (c.drainFrees && W.drain))) set(x, q.r, 'ORPHANED');
              if (q.k === 'confirm' && silent && R.cont === 'NONE') {
                R.cont = 'CONFIRMING';
                R.due = false;
                if (c.flagBumps) R.ver++;
              }
              if (q.k === 'overdue' && R.over && R.cont === 'CONFIRMING' && !R.due) {
                if (c.overdueWaits) return;
                return 'overdue ended a run that was CONFIRMING before its deadline';
              }
              if (q.k === 'lost' && silent && R.due && R.back)
                return 'a second silence ended the run without a confirmation window of its own';
              if (((q.k === 'lost' && silent && R.due) || (q.k === 'overdue' && R.over)) && c.leaderMayEnd) {
                set(x, q.r, R.cx && c.cancelWins ? 'CANCELED' : 'TIMED_OUT');
                if (c.retryTx) retry(x, q.r);
              }
              if (q.k === 'retry') retry(x, q.r);
              if (
                !c.allowStale &&
                JSON.stringify(x.R) !== before &&
                x.L.some((z) => z.ep > q.ep && z.led && (c.raiseFirst || z.read))
              )
                return `stale epoch ${q.ep} changed a row after a later leader had begun to read`;
              if (x.bad) return x.bad;
            },
            { fair: `stmt${l}` },
          );
          if (!L.up)
            step(`statement of dead L${l} is lost`, (x) => {
              x.L[l].s = null;
            });
        }
      });
      // ---- workers
      s.W.forEach((W, w) => {
        const owns = (x, e) =>
          x.R[e.r].st === 'RUNNING' && x.R[e.r].w === w && (!c.attemptGuard || x.R[e.r].att === e.a);
        if (W.fresh && (s.b.si || !W.up))
          step(
            `W${w} falls silent`,
            (x) => {
              if (W.up) x.b.si--;
              x.W[w].fresh = false;
            },
            W.up ? {} : { fair: `dead${w}` },
          );
        if (!W.up) {
          if (s.b.re && c.sameId)
            step(`W${w} restarts under the same id`, (x) => {
              x.b.re--;
              x.W[w].up = true;
            });
          return;
        }
        step(
          `W${w} heartbeat`,
          (x) => {
            x.W[w].fresh = true;
            if (c.reconcile) x.W[w].ex = x.W[w].ex.filter((e) => owns(x, e));
            for (const R of x.R)
              if (R.w === w && R.st === 'RUNNING' && R.cont === 'CONFIRMING') {
                if (c.beatClears) {
                  R.cont = 'NONE';
                  R.due = false;
                  if (c.flagBumps) R.ver++;
                } else R.back = true;
              }
            if (c.zombies && x.W[w].ex.some((e) => !owns(x, e)))
              return `W${w} is alive, has just talked to the database, and goes on executing a run it lost`;
          },
          { fair: `beat${w}` },
        );
        if (s.b.d)
          step(`W${w} dies`, (x) => {
            x.b.d--;
            x.W[w].up = false;
            x.W[w].p = null;
            if (!c.childrenLive) x.W[w].ex = [];
          });
        if (s.b.dr && !W.drain)
          step(`W${w} is drained`, (x) => {
            x.b.dr--;
            x.W[w].drain = true;
          });
        s.R.forEach((R, r) => {
          if (R.st === 'ASSIGNED' && R.w === w && !W.p && !W.drain)
            step(
              `W${w} sends start of run${r}`,
              (x) => {
                x.W[w].p = { r, ver: R.ver, a: R.att, k: 'start', ep: x.fe };
              },
              { fair: `send${w}` },
            );
          if (c.fused && R.st === 'PENDING' && !W.p && !W.drain)
            step(
              `W${w} sends claim+start of run${r}`,
              (x) => {
                x.W[w].p = { r, ver: R.ver, a: R.att, k: 'fused', ep: x.fe };
              },
              { fair: `send${w}` },
            );
          if (R.st === 'RUNNING' && R.w === w && s.b.wc && R.cont === 'NONE')
            step(`W${w} sets CONFIRMING on run${r}`, (x) => {
              x.b.wc--;
              x.R[r].cont = 'CONFIRMING';
              x.R[r].due = false;
            });
        });
        if (W.p) {
          const run = (x) => {
            const p = W.p,
              R = x.R[p.r];
            x.W[w].p = null;
            const free = p.k === 'fused' ? R.st === 'PENDING' : R.st === 'ASSIGNED' && R.w === w;
            if (!free || R.ver !== p.ver) return null;
            if (p.k === 'fused') {
              R.w = w;
              set(x, p.r, 'ASSIGNED');
            }
            set(x, p.r, 'RUNNING');
            begin(x, p.r, p.ep);
            return p;
          };
          step(
            `W${w}: start of run${W.p.r} commits or is refused`,
            (x) => {
              const p = run(x);
              if (p) x.W[w].ex.push({ r: p.r, a: p.a, ...(c.flagBumps ? { v: x.R[p.r].ver } : {}) });
              return x.bad ?? undefined;
            },
            { fair: `start${w}` },
          );
          if (s.b.lo)
            step(`W${w}: start of run${W.p.r} commits, reply lost`, (x) => {
              x.b.lo--;
              const p = run(x);
              if (!p) return false;
              if (c.unknownStart === 'reread')
                x.W[w].ex.push({ r: p.r, a: p.a, ...(c.flagBumps ? { v: x.R[p.r].ver } : {}) });
              return x.bad ?? undefined;
            });
        }
        W.ex.forEach((e, i) => {
          const R = s.R[e.r];
          const finish = (to) =>
            step(
              `W${w} finishes run${e.r} attempt ${e.a}: ${to}`,
              (x) => {
                x.W[w].ex.splice(i, 1);
                const T = x.R[e.r];
                const ok =
                  owns(x, e) && (!c.flagBumps || T.ver === e.v) && (c.finishEpoch === 'start' || T.ep === x.fe);
                if (!ok) return;
                if (T.att !== e.a) return `attempt ${e.a} of a stale worker ended attempt ${T.att}`;
                set(x, e.r, to === 'FAILED' && T.cx && c.cancelWins ? 'CANCELED' : to);
                if (c.retryTx) retry(x, e.r);
                return x.bad ?? undefined;
              },
              { fair: `finish${w}` },
            );
          finish('SUCCEEDED');
          finish('FAILED');
          if (R.cx && owns(s, e)) finish('CANCELED');
        });
      });
      // ---- user and clock
      s.R.forEach((R, r) => {
        if (s.b.cx && ['PENDING', 'ASSIGNED', 'ORPHANED'].includes(R.st))
          step(`user cancels run${r}`, (x) => {
            x.b.cx--;
            x.R[r].cx = true;
            set(x, r, 'CANCELED');
            return x.bad ?? undefined;
          });
        if (s.b.cx && R.st === 'RUNNING' && !R.cx)
          step(`user asks to cancel run${r}`, (x) => {
            x.b.cx--;
            x.R[r].cx = true;
            if (c.flagBumps) x.R[r].ver++;
          });
        if (R.cont === 'CONFIRMING' && !R.due)
          step(
            `continuation deadline of run${r} passes`,
            (x) => {
              x.R[r].due = true;
            },
            { fair: 'deadline' },
          );
        if (c.leaderOverdue && R.st === 'RUNNING' && !R.over)
          step(
            `time-out of run${r} passes`,
            (x) => {
              x.R[r].over = true;
            },
            { fair: 'timeout' },
          );
      });
    },
    invariant(s) {
      if (s.bad) return s.bad;
      if (s.R.filter((R) => R.st === 'RUNNING').length > 1) return 'two RUNNING rows in one chain';
      for (let r = 0; r < s.R.length; r++)
        if (s.R.filter((q) => q.ro === r).length > 1) return 'two successors of one run';
      if (c.childrenLive && s.W.some((W) => !W.up && W.ex.length) && s.W.some((W) => W.up && W.ex.length))
        return "a dead worker's child process executes beside the next attempt";
      if (s.R.filter((R) => !END.has(R.st)).length > 1) return 'two live rows in one chain';
    },
    goal: c.safetyOnly
      ? undefined
      : (s) => s.R.every((R, r) => END.has(R.st) && (!wantsRetry(s, r) || s.R.some((q) => q.ro === r))),
    measure: (s) => ({ executions: s.W.reduce((n, W) => n + W.ex.length, 0), rows: s.R.length }),
  };
}
