import { describe, expect, it } from 'vitest';
import { leaseOperations, noticeOperation } from './lease-operation.ts';
import type { StoreCall } from './store-history.ts';

const asked = { sentAtMs: 1, repliedAtMs: 2, executedAtMs: [1], process: 'p' };
const grant = { key: 'k', owner: 'p.1@a', ttlMs: 1_000 };

describe('leaseOperations', () => {
  it('tells every call that says who holds, with its answer', () => {
    const calls: StoreCall[] = [
      { op: 'acquire', request: { ...grant, line: true }, reply: { granted: true, token: 1, lastToken: 64 }, ...asked },
      {
        op: 'renew',
        request: [
          { ...grant, token: 64 },
          { ...grant, key: 'x', token: 3 },
        ],
        reply: [true, false],
        ...asked,
      },
      { op: 'release', request: { key: 'k', owner: 'p.1@a', token: null, acceptMs: 5 }, reply: false, ...asked },
      { op: 'leave', request: { key: 'k', owner: 'p.1@a' }, reply: true, ...asked },
      {
        op: 'breakLease',
        request: { key: 'k', by: 'b', reason: 'r', acceptMs: 5 },
        reply: { broken: false },
        ...asked,
      },
      { op: 'list', request: { limit: 1 }, reply: [], ...asked },
      { op: 'claim', request: { resource: 'r', token: 1 }, reply: { claimed: true, token: 1 }, ...asked },
    ];
    expect(
      leaseOperations(calls).map(({ kind, key, ...rest }) => [kind, key, 'result' in rest && rest.result]),
    ).toEqual([
      ['acquire', 'k', { granted: true, token: 1, lastToken: 64 }],
      ['renew', 'k', true],
      ['renew', 'x', false],
      ['release', 'k', false],
      ['leave', 'k', true],
      ['break', 'k', { broken: false }],
    ]);
  });

  it('takes an error or no answer for an unknown outcome', () => {
    const { repliedAtMs: _, ...unanswered } = asked;
    const operations = leaseOperations([
      { op: 'leave', request: { key: 'k', owner: 'a' }, error: new Error('gone'), ...asked },
      { op: 'leave', request: { key: 'k', owner: 'b' }, ...unanswered },
    ]);
    for (const operation of operations) {
      expect(operation.returnedAtMs).toBe(Number.POSITIVE_INFINITY);
      expect(operation).not.toHaveProperty('result');
    }
  });

  it('tells several keys one by one, and of a refusal only the key in the way', () => {
    const request = { keys: ['x', 'y'], owner: 'p.1@a', ttlMs: 1_000 };
    const tokens = [
      { key: 'x', token: 1, lastToken: 64 },
      { key: 'y', token: 2, lastToken: 65 },
    ];
    const granted = leaseOperations([{ op: 'acquireAll', request, reply: { granted: true, tokens }, ...asked }]);
    expect(granted.map(({ key }) => key)).toEqual(['x', 'y']);
    expect(granted[1]).toMatchObject({ kind: 'acquire', result: { granted: true, token: 2, lastToken: 65 } });
    const reply = { granted: false, key: 'y', holder: 'q.1@b' } as const;
    const refused = leaseOperations([{ op: 'acquireAll', request, reply, ...asked }]);
    expect(refused).toMatchObject([{ key: 'y', result: { granted: false, holder: 'q.1@b' } }]);
    expect(leaseOperations([{ op: 'acquireAll', request, ...asked }])).toHaveLength(2);
  });

  it('forgets the number of a refusal that knows none', () => {
    const reply = { granted: false, token: Number.MAX_SAFE_INTEGER, inLine: false } as const;
    const [operation] = leaseOperations([{ op: 'acquire', request: { ...grant, line: false }, reply, ...asked }]);
    expect(operation).toHaveProperty('result', { granted: false, inLine: false });
  });

  it('leaves out keys with shares', () => {
    const share = { weight: 1, capacity: 2 };
    const reply = { granted: true, token: 1, lastToken: 1 } as const;
    const calls: StoreCall[] = [
      { op: 'acquire', request: { ...grant, line: false, share }, reply, ...asked },
      { op: 'acquire', request: { ...grant, line: false }, reply, ...asked },
      { op: 'acquire', request: { ...grant, key: 'x', line: false }, reply, ...asked },
    ];
    expect(leaseOperations(calls).map(({ key }) => key)).toEqual(['x']);
  });

  it('dates a notice by when it was heard at the latest', () => {
    const notice = { kind: 'granted', key: 'k', owner: 'o', token: 1, lastToken: 64, acceptMs: 5 } as const;
    expect(noticeOperation(notice, 9)).toMatchObject({ calledAtMs: Number.NEGATIVE_INFINITY, returnedAtMs: 9 });
  });
});
