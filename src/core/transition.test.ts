import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideTransition,
  defineTransitions,
  isDeclared,
  listEnds,
  listReachable,
  printTransitions,
  type TransitionTable,
} from './transition.ts';

const runs = defineTransitions({
  states: ['PENDING', 'ASSIGNED', 'ORPHANED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED'],
  initial: 'PENDING',
  moves: {
    PENDING: { to: ['ASSIGNED'] },
    ASSIGNED: { to: ['RUNNING', 'ORPHANED', 'CANCELED'] },
    ORPHANED: { to: ['ASSIGNED'] },
    RUNNING: { to: ['SUCCEEDED', 'FAILED', 'CANCELED'] },
  },
});

describe('defineTransitions', () => {
  const define = (states: readonly string[], initial: string, moves: Record<string, { to: readonly string[] }>) => () =>
    defineTransitions({ states, initial, moves });

  it.each([
    ['a state twice', define(['a', 'a'], 'a', {}), /"a" is listed twice/],
    ['a name that would break the documentation', define(['a|b'], 'a|b', {}), /"a\|b" must be a name/],
    ['an empty name', define([''], '', {}), /must be a name/],
    ['an unknown initial state', define(['a'], 'b', {}), /initial state "b" is not among/],
    ['no states at all', define([], 'a', {}), /initial state "a" is not among/],
    ['moves of an unknown state', define(['a'], 'a', { b: { to: ['a'] } }), /given for "b", which is not among/],
    ['a move to an unknown state', define(['a'], 'a', { a: { to: ['b'] } }), /"a" moves to "b", which is not among/],
    ['a move to itself', define(['a', 'b'], 'a', { a: { to: ['a', 'b'] } }), /"a" moves to itself/],
    ['a move twice', define(['a', 'b'], 'a', { a: { to: ['b', 'b'] } }), /"a" moves to "b" twice/],
    ['a state nothing leads to', define(['a', 'b'], 'a', {}), /"b" cannot be reached from "a"/],
    [
      'a cycle without a way out',
      define(['a', 'b'], 'a', { a: { to: ['b'] }, b: { to: ['a'] } }),
      /"a" has no way to an end/,
    ],
  ])('refuses %s', (_, make, message) => {
    expect(make).toThrow(message);
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });

  it('accepts a cycle that has a way out, and a table of one state', () => {
    expect(listReachable(runs, 'ASSIGNED')).toContain('ASSIGNED');
    expect(listEnds(defineTransitions({ states: ['only'], initial: 'only', moves: {} }))).toEqual(['only']);
  });

  it('keeps its own copy: later changes of the input change nothing', () => {
    const to = ['b'];
    const table = defineTransitions<string>({
      states: ['a', 'b', 'c'],
      initial: 'a',
      moves: { a: { to: ['b', 'c'] }, b: { to: ['c'] } },
    });
    const shared = defineTransitions<string>({ states: ['a', 'b'], initial: 'a', moves: { a: { to } } });
    to.push('a');
    expect(isDeclared(shared, 'a', 'a')).toBe(false);
    expect(table.next).toEqual({ a: ['b', 'c'], b: ['c'], c: [] });
  });
});

describe('decideTransition', () => {
  const current = { state: 'ASSIGNED', version: 3, owner: 'w1', token: 7 } as const;
  const request = { from: 'ASSIGNED', to: 'RUNNING', version: 3, owner: 'w1', token: 7 } as const;

  it('accepts what is declared and expected, and counts the version up', () => {
    expect(decideTransition(runs, current, request)).toEqual({
      ok: true,
      from: 'ASSIGNED',
      to: 'RUNNING',
      version: 4,
      ends: false,
    });
    expect(decideTransition(runs, current, { to: 'CANCELED' })).toEqual({
      ok: true,
      from: 'ASSIGNED',
      to: 'CANCELED',
      version: 4,
      ends: true,
    });
    expect(decideTransition(runs, { state: 'RUNNING' }, { to: 'FAILED' })).toEqual({
      ok: true,
      from: 'RUNNING',
      to: 'FAILED',
      ends: true,
    });
  });

  it.each([
    ['undeclared', current, { ...request, from: 'PENDING' }],
    ['undeclared', undefined, { from: 'SUCCEEDED', to: 'RUNNING' }],
    ['undeclared', current, { to: 'PENDING' }],
    ['not-found', undefined, request],
    ['stale-token', { ...current, token: 8 }, request],
    ['stale-token', { ...current, token: 6 }, request],
    ['wrong-owner', { ...current, owner: 'w2' }, request],
    ['wrong-owner', { ...current, owner: null }, request],
    ['stale-version', { ...current, version: 4 }, request],
    ['wrong-state', { ...current, state: 'RUNNING' }, request],
    ['wrong-state', { ...current, state: 'SUCCEEDED' }, { to: 'CANCELED' }],
  ] as const)('refuses: %s', (reason, record, asked) => {
    expect(decideTransition(runs, record, asked)).toEqual({ ok: false, reason });
  });

  it('names the reason that makes the others beside the point', () => {
    const all = { state: 'RUNNING', version: 4, owner: 'w2', token: 8 } as const;
    const reason = (record: typeof all | { state: 'RUNNING'; version: number; owner: string; token: number }) => {
      const decision = decideTransition(runs, record, request);
      return decision.ok ? 'ok' : decision.reason;
    };
    expect(reason(all)).toBe('stale-token');
    expect(reason({ ...all, token: 7 })).toBe('wrong-owner');
    // The reply of a committed start was lost: the version says "read again", which finds that the run is ours.
    expect(reason({ ...all, token: 7, owner: 'w1' })).toBe('stale-version');
    expect(reason({ ...all, token: 7, owner: 'w1', version: 3 })).toBe('wrong-state');
  });

  it('knows only its own states, also those named like parts of an object', () => {
    const table = runs as unknown as TransitionTable<string>;
    expect(isDeclared(table, 'constructor', 'length')).toBe(false);
    expect(decideTransition(table, { state: 'constructor' }, { to: 'RUNNING' })).toEqual({
      ok: false,
      reason: 'wrong-state',
    });
  });
});

/** Random tables that pass the checks: a spine to the end, and any further moves that leave the end an end. */
const tables = fc
  .integer({ min: 2, max: 7 })
  .chain((size) =>
    fc.tuple(fc.constant(size), fc.array(fc.tuple(fc.nat(size - 2), fc.nat(size - 1)), { maxLength: 14 })),
  )
  .map(([size, extra]) => {
    const states = Array.from({ length: size }, (_, i) => `S${i}`);
    const to = states.slice(0, -1).map((_, i) => new Set([`S${i + 1}`]));
    for (const [from, target] of extra) if (from !== target) to[from]?.add(`S${target}`);
    const moves = Object.fromEntries(to.map((set, i) => [`S${i}`, { to: [...set] }]));
    return { table: defineTransitions<string>({ states, initial: 'S0', moves }), moves };
  });

describe('any table', () => {
  it('whatever is asked, a history is a path of the table and every version has one winner', () => {
    fc.assert(
      fc.property(
        tables,
        fc.array(fc.record({ from: fc.option(fc.nat(7), { nil: undefined }), to: fc.nat(7), lag: fc.nat(2) }), {
          maxLength: 40,
        }),
        ({ table, moves }, requests) => {
          let record = { state: table.initial, version: 0 };
          for (const { from, to, lag } of requests) {
            const version = record.version - lag;
            const decision = decideTransition(table, record, {
              to: `S${to}`,
              version,
              ...(from !== undefined && { from: `S${from}` }),
            });
            if (!decision.ok) continue;
            expect(moves[record.state]?.to).toContain(decision.to);
            expect(lag).toBe(0);
            expect(decision.version).toBe(record.version + 1);
            expect(decision.ends).toBe(listEnds(table).includes(decision.to));
            record = { state: decision.to, version: record.version + 1 };
          }
        },
      ),
    );
  });

  it('an accepted move is declared, a refused one names a true reason', () => {
    fc.assert(
      fc.property(
        tables,
        fc.nat(7),
        fc.nat(7),
        fc.option(fc.nat(7), { nil: undefined }),
        ({ table, moves }, at, to, from) => {
          const declared = (a: string, b: string) => moves[a]?.to.includes(b) ?? false;
          const state = `S${at}`;
          const decision = decideTransition(
            table,
            { state },
            { to: `S${to}`, ...(from !== undefined && { from: `S${from}` }) },
          );
          const possible =
            from === undefined ? table.states.some((s) => declared(s, `S${to}`)) : declared(`S${from}`, `S${to}`);
          if (decision.ok) expect(declared(state, `S${to}`) && (from === undefined || from === at)).toBe(true);
          else expect(decision.reason).toBe(possible ? 'wrong-state' : 'undeclared');
        },
      ),
    );
  });

  it('reachable means: some walk of declared moves leads there', () => {
    fc.assert(
      fc.property(tables, ({ table, moves }) => {
        for (const start of table.states) {
          let walk = new Set(moves[start]?.to ?? []);
          for (let step = 0; step < table.states.length; step++)
            walk = new Set([...walk].flatMap((s) => [s, ...(moves[s]?.to ?? [])]));
          expect(new Set(listReachable(table, start))).toEqual(walk);
        }
      }),
    );
  });
});

describe('printTransitions', () => {
  it('prints Markdown', () => {
    expect(printTransitions(runs, 'markdown')).toBe(
      [
        '| from | to |',
        '|---|---|',
        '| `PENDING` (initial) | `ASSIGNED` |',
        '| `ASSIGNED` | `RUNNING`, `ORPHANED`, `CANCELED` |',
        '| `ORPHANED` | `ASSIGNED` |',
        '| `RUNNING` | `SUCCEEDED`, `FAILED`, `CANCELED` |',
        '| `SUCCEEDED` | end |',
        '| `FAILED` | end |',
        '| `CANCELED` | end |',
        '',
      ].join('\n'),
    );
  });

  it('prints mermaid, and renames states whose hyphen would be read as an arrow', () => {
    expect(printTransitions(runs, 'mermaid').split('\n').slice(0, 4)).toEqual([
      'stateDiagram-v2',
      '  [*] --> PENDING',
      '  PENDING --> ASSIGNED',
      '  ASSIGNED --> RUNNING',
    ]);
    const hyphens = defineTransitions({
      states: ['in-flight', 's0'],
      initial: 'in-flight',
      moves: { 'in-flight': { to: ['s0'] } },
    });
    expect(printTransitions(hyphens, 'mermaid')).toBe(
      [
        'stateDiagram-v2',
        '  state "in-flight" as s0',
        '  state "s0" as s1',
        '  [*] --> s0',
        '  s0 --> s1',
        '  s1 --> [*]',
        '',
      ].join('\n'),
    );
  });
});
