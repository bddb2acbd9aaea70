import { describe, expect, it } from 'vitest';
import { limits } from '../core/limits.ts';
import { leaseMigrations } from './lease-migrations.ts';
import { leaseStatements } from './lease-statements.ts';

const textsOf = (schema: string): readonly string[] => [
  ...Object.values(leaseStatements(schema, 'standard')).map(({ text }) => text),
  ...leaseMigrations.migrations.flatMap((migration) => migration.statements(`"${schema}"`)),
];

describe('leaseStatements', () => {
  it('qualifies every table and function of ours, so that search_path does not matter', () => {
    for (const text of textsOf('app')) {
      const code = text.replace(/--.*$/gm, '');
      const names = code.match(/[\w".]*\b(leases|fences|lease_\w+)\b(?!\s*:=)/g) ?? [];
      expect(names.filter((name) => !name.startsWith('"app".') && name !== 'lease_key')).toEqual([]);
    }
  });

  it('names statements by their text: schemas and commit modes never meet under one name', () => {
    const names = ['a', 'b'].flatMap((schema) =>
      (['strict', 'standard', 'relaxed'] as const).map(
        (durability) => leaseStatements(schema, durability).release.name,
      ),
    );
    expect(new Set(names).size).toBe(6);
    for (const name of names) expect(name.length).toBeLessThan(64);
  });

  it('commits without waiting for the disk only where it says so', () => {
    const relaxing = (durability: 'strict' | 'standard' | 'relaxed'): readonly string[] =>
      Object.entries(leaseStatements('a', durability))
        .filter(([, { text }]) => text.includes('synchronous_commit'))
        .map(([name]) => name);
    expect(relaxing('strict')).toEqual([]);
    expect(relaxing('standard')).toEqual(['release']);
    expect(relaxing('relaxed')).toEqual(['acquire', 'release', 'renew', 'renewUnlocked', 'tryAcquire']);
  });
});

describe('leaseMigrations', () => {
  it('has the limits of the core in its literal numbers', () => {
    const [first] = leaseMigrations.migrations;
    const text = first?.statements('"a"').join('\n') ?? '';
    expect(text.match(/us \+ \d+/g)).toEqual([`us + ${limits.tokenBlock - 1}`, `us + ${limits.tokenBlock - 1}`]);
    expect(text.match(/cardinality\(lease\.queue\) < \d+/g)).toEqual([`cardinality(lease.queue) < ${limits.lineMax}`]);
  });
});
