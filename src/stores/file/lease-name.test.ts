import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { grantId } from '../../core/grant-id.ts';
import { limits } from '../../core/limits.ts';
import { escapeOwner, freeName, heldName, ownerBytesMax, parseLeaseName, poolName, type Term } from './lease-name.ts';

const term: Term = {
  owner: 'a1b2.7@web-1:4242',
  token: 1_700_000_000_000_063,
  endUs: 123_456_789,
  ttlMs: 15_000,
  boot: '0123abcd',
  process: '4242-99-4026531836',
};

describe('lease names', () => {
  it('says everything there is to know in the name', () => {
    const name = '1700000000000063.h.123456789.15000.0123abcd.4242-99-4026531836.a1b2.7@web-1%3a4242';
    expect(heldName(term)).toBe(name);
    expect(parseLeaseName(name)).toEqual({ kind: 'held', name, token: term.token, term });
  });

  it('reads back free and pool names', () => {
    expect(parseLeaseName(freeName(7, 'a.1@x'))).toEqual({ kind: 'free', name: '7.f.a.1@x', token: 7 });
    expect(parseLeaseName(poolName(8, 'ab-cd'))).toEqual({
      kind: 'pool',
      name: '8.p.ab-cd',
      token: 8,
      recordId: 'ab-cd',
    });
  });

  it('reads back any owner that fits, in a name that every file system takes', () => {
    const owner = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter(fits);
    fc.assert(
      fc.property(owner, fc.nat(), (text, endUs) => {
        const name = heldName({ ...term, owner: text, endUs });
        expect(name).toMatch(/^[A-Za-z0-9_.@%-]*[A-Za-z0-9_@%-]$/);
        const parsed = parseLeaseName(name);
        expect(parsed?.kind === 'held' && parsed.term.owner).toBe(text);
      }),
    );
  });

  it('does not end in a dot, which Windows would drop', () => {
    const name = heldName({ ...term, owner: 'a.1@x.' });
    expect(name).toMatch(/x%2e$/);
    expect(parseLeaseName(name)).toMatchObject({ term: { owner: 'a.1@x.' } });
  });

  it('has room for the longest grant id', () => {
    const owner = grantId('f'.repeat(16), Number.MAX_SAFE_INTEGER, `${'h'.repeat(limits.processNameMax - 6)}:12345`);
    const longest = { ...term, owner, endUs: Number.MAX_SAFE_INTEGER, ttlMs: limits.ttlMsMax };
    expect(heldName({ ...longest, process: '4194304-99999999999-4026531836' }).length).toBeLessThan(255);
  });

  it.each(['', 'x'.repeat(ownerBytesMax + 1), '\ud800'])('refuses the owner %j before anything is written', (owner) => {
    expect(() => escapeOwner(owner)).toThrowError(expect.objectContaining({ code: 'invalid-argument' }));
  });

  it.each([
    '',
    'README.md',
    'f',
    '1.f',
    '1.f.',
    '-1.f.x',
    '1.x.y',
    '99999999999999999.f.x',
    '9999999999999999.f.x',
    '1.p.UPPER',
    '1.p.../x',
    '1.h.x',
    '1.h.1.2.boot.1-2-3',
    '1.h.1.2.boot.1-2-3.',
    '1.h.1.2.boot.1-2-3.%zz',
    '1.h.NaN.2.boot.1-2-3.me',
    '1.h.1.2.BOOT!.1-2-3.me',
  ])('does not take %j for a state', (name) => {
    expect(parseLeaseName(name)).toBeUndefined();
  });
});

function fits(text: string): boolean {
  try {
    escapeOwner(text);
    return true;
  } catch {
    return false;
  }
}
