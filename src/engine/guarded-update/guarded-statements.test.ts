/** What is sent and what is made of the answer; what the statements mean is tested on PostgreSQL beside this file. */
import { describe, expect, it } from 'vitest';
import type { SqlExecutor, SqlStatement } from '../../core/ports.ts';
import { defineTransitions } from '../../core/transition.ts';
import { guardedUpdate } from './guarded-update.ts';
import { quoteIdentifier } from './quote-identifier.ts';

const orders = defineTransitions({
  states: ['new', 'paid', 'sent'],
  initial: 'new',
  moves: { new: { to: ['paid'] }, paid: { to: ['sent'] } },
});
const request = { table: { name: 'orders' }, id: { id: 7 }, set: { note: 'x' } };

function answering(...answers: readonly (readonly object[])[]): { executor: SqlExecutor; sent: SqlStatement[] } {
  const sent: SqlStatement[] = [];
  const query = async (statement: SqlStatement) => {
    const rows = answers[sent.push(statement) - 1] ?? [];
    return { rows, rowCount: rows.length };
  };
  return { executor: { query } as unknown as SqlExecutor, sent };
}

describe('the update', () => {
  it('is one statement that names the row, every expectation and the version, with values as parameters', async () => {
    const { executor, sent } = answering([{ id: 7 }]);
    const outcome = await guardedUpdate(executor, {
      ...request,
      table: { schema: 'shop', name: 'orders' },
      id: { id: 7, part: 1 },
      expect: { owner: null, version: 3 },
      set: { note: 'x', owner: 'ann' },
    });
    expect(outcome).toEqual({ updated: true, row: { id: 7 } });
    expect(sent).toEqual([
      {
        text: `update "shop"."orders" as t
set "note" = $1, "owner" = $2, "version" = t."version" + 1
where t."id" = $3 and t."part" = $4 and t."owner" is not distinct from $5 and t."version" is not distinct from $6
returning t.*`,
        values: ['x', 'ann', 7, 1, null, 3],
      },
    ]);
  });

  it('locks the fence row in the same statement, and returns only what was asked for', async () => {
    const { executor, sent } = answering([{ id: 7 }]);
    await guardedUpdate(executor, {
      ...request,
      versionColumn: null,
      returning: ['id', 'note'],
      fence: { resource: 'order/7', token: 9 },
    });
    expect(sent).toEqual([
      {
        text: `with fence as materialized (
  select f.token from "kannuki".fences f
  where f.resource = $1 and f.token = $2
  for share
)
update "orders" as t
set "note" = $3
where t."id" = $4 and exists (select from fence)
returning t."id", t."note"`,
        values: ['order/7', 9, 'x', 7],
      },
    ]);
  });

  it('a transition is an expectation and a value; one that is not declared is not sent', async () => {
    const { executor, sent } = answering([{ id: 7 }]);
    const transition = { table: orders, from: 'new', to: 'paid' } as const;
    await guardedUpdate(executor, { ...request, transition });
    expect(sent[0]?.text).toContain('"state" = $2');
    expect(sent[0]?.text).toContain('t."state" is not distinct from $4');
    expect(sent[0]?.values).toEqual(['x', 'paid', 7, 'new']);
    const jump = await guardedUpdate(executor, { ...request, transition: { ...transition, to: 'sent' } });
    expect(jump).toEqual({ updated: false, reason: 'undeclared', mismatches: [] });
    expect(sent).toHaveLength(1);
  });

  it('that changed several rows is an error: the id named more than one', async () => {
    const { executor } = answering([{ id: 7 }, { id: 7 }]);
    await expect(guardedUpdate(executor, request)).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});

describe('a refusal', () => {
  it('is read once, with a verdict per expectation, and shows the caller’s columns only', async () => {
    const found = {
      id: 7,
      owner: 'bob',
      'kannuki:holds:0': false,
      'kannuki:actual:0': 'bob',
      'kannuki:holds:1': true,
      'kannuki:actual:1': 3,
    };
    const { executor, sent } = answering([], [found]);
    const outcome = await guardedUpdate(executor, { ...request, expect: { owner: 'ann', version: 3 } });
    expect(outcome).toEqual({
      updated: false,
      reason: 'mismatch',
      mismatches: [{ column: 'owner', expected: 'ann', actual: 'bob' }],
      current: { id: 7, owner: 'bob' },
    });
    expect(sent[1]).toEqual({
      text: `select t.*,
  t."owner" is not distinct from $1 as "kannuki:holds:0",
  t."owner" as "kannuki:actual:0",
  t."version" is not distinct from $2 as "kannuki:holds:1",
  t."version" as "kannuki:actual:1"
from "orders" as t
where t."id" = $3`,
      values: ['ann', 3, 7],
    });
  });

  it('of a row that is not there is not-found', async () => {
    const { executor, sent } = answering();
    expect(await guardedUpdate(executor, request)).toEqual({ updated: false, reason: 'not-found', mismatches: [] });
    expect(sent).toHaveLength(2);
  });

  const fence = { resource: 'order/7', token: 9, schema: 'locks' };
  const guarded = {
    ...request,
    expect: { version: 3 },
    transition: { table: orders, from: 'new', to: 'paid' },
  } as const;
  it.each([
    // A right that is over comes first, then "read again", then the rest.
    ['stale-token', 10, false, false],
    ['unclaimed', 8, false, false],
    ['unclaimed', null, true, true],
    ['stale-version', '9', false, false],
    ['wrong-state', 9, true, false],
    ['mismatch', 9, true, true],
  ])('%s: fence at %s, version holds %s, state holds %s', async (reason, token, version, state) => {
    const found = { 'kannuki:holds:0': version, 'kannuki:holds:1': state, 'kannuki:fence': token };
    const { executor, sent } = answering([], [found]);
    expect(await guardedUpdate(executor, { ...guarded, fence })).toMatchObject({ updated: false, reason });
    expect(sent[1]?.text).toContain('(select f.token from "locks".fences f where f.resource = $3) as "kannuki:fence"');
    expect(sent[1]?.values).toEqual([3, 'new', 'order/7', 7]);
  });
});

describe('a request', () => {
  const transition = { table: orders, from: 'new', to: 'paid' } as const;
  it.each([
    ['no id', { id: {} }, 'by its id'],
    ['an id of null', { id: { id: null } }, 'names no row'],
    ['a version that is set', { set: { version: 4 } }, 'raised by the update itself'],
    ['nothing to set', { set: {}, versionColumn: null }, 'sets nothing'],
    ['nothing to return', { returning: [] }, 'at least one column'],
    ['an undefined id', { id: { id: undefined } }, 'undefined'],
    ['an undefined expectation', { expect: { owner: undefined } }, 'undefined'],
    ['an undefined value', { set: { note: undefined } }, 'undefined'],
    ['a token that is no number', { fence: { resource: 'r', token: 1.5 } }, 'whole number'],
    ['a state that is expected twice', { transition, expect: { state: 'new' } }, 'leave it out'],
    ['a state that is set twice', { transition, set: { state: 'paid' } }, 'leave it out'],
  ])('with %s is refused before anything is sent', async (_what, wrong, sentence) => {
    const { executor, sent } = answering();
    const error = await guardedUpdate(executor, { ...request, ...wrong } as never).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringContaining(sentence) });
    expect(sent).toEqual([]);
  });

  it('may raise the version and nothing else, and may set a column called version where it is none', async () => {
    const { executor, sent } = answering([{}], [{}]);
    await guardedUpdate(executor, { ...request, set: {} });
    await guardedUpdate(executor, { ...request, set: { version: 4 }, versionColumn: null });
    expect(sent.map(({ text }) => text.split('\n')[1])).toEqual([
      'set "version" = t."version" + 1',
      'set "version" = $1',
    ]);
  });

  it('may keep its state in a column of another name', async () => {
    const { executor, sent } = answering([{}]);
    await guardedUpdate(executor, { ...request, transition: { ...transition, column: 'stage' }, set: { state: 'x' } });
    expect(sent[0]?.values).toEqual(['x', 'paid', 7, 'new']);
    expect(sent[0]?.text).toContain('"stage" = $2');
  });
});

describe('a name', () => {
  it('can only ever be a name', () => {
    expect(quoteIdentifier('a"; drop table b; --', 'column')).toBe('"a""; drop table b; --"');
    expect(quoteIdentifier('é'.repeat(31), 'column')).toBe(`"${'é'.repeat(31)}"`);
    expect(quoteIdentifier('x'.repeat(63), 'column')).toHaveLength(65);
  });

  it.each(['', 'x'.repeat(64), 'é'.repeat(32), 'a\u0000b', 'a\u001f', 'a\u007f', 7, undefined])(
    '%j is none',
    (name) => {
      expect(() => quoteIdentifier(name, 'column')).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    },
  );
});
