import { describe, expect, it } from 'vitest';
import { fencedStatement } from './fenced-statement.ts';

const lease = { token: 42, isHeld: () => true };

describe('fencedStatement', () => {
  it('locks the fence row and compares the token in front of the statement', () => {
    const statement = fencedStatement(
      { lease, resource: 'orders/7', schema: 'app' },
      { text: 'update orders set state = $1 from kannuki_fence where id = $2', values: ['paid', 7] },
    );
    expect(statement.text).toBe(`with kannuki_fence as materialized (
  select f.token
  from "app".fences f
  where f.resource = $3::text and f.token = $4::bigint
  for share
)
update orders set state = $1 from kannuki_fence where id = $2`);
    expect(statement.values).toEqual(['paid', 7, 'orders/7', 42]);
  });

  it('joins a WITH that the statement brings along', () => {
    const text = '-- why\n with recursive t as (select 1) insert into a select * from t, kannuki_fence';
    const fenced = fencedStatement({ lease, resource: 'r' }, { text });
    expect(fenced.text).toMatch(
      /^with recursive kannuki_fence as materialized \([\s\S]*for share\n\), t as \(select 1\) insert/,
    );
    expect(fenced.text.match(/with/g)).toHaveLength(1);
  });

  it('keeps the name of a prepared statement', () => {
    const statement = { text: 'delete from a using kannuki_fence', name: 'clear' };
    expect(fencedStatement({ lease, resource: 'r' }, statement).name).toBe('clear');
  });

  it('refuses a statement that the fence could not hold back', () => {
    expect(() => fencedStatement({ lease, resource: 'r' }, { text: 'delete from kannuki_fences' })).toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message: expect.stringContaining('does not use kannuki_fence'),
      }),
    );
  });

  it('refuses a lease that is no longer held', () => {
    const lost = { token: 42, isHeld: () => false };
    expect(() =>
      fencedStatement({ lease: lost, resource: 'r' }, { text: 'delete from a using kannuki_fence' }),
    ).toThrow(expect.objectContaining({ code: 'lost', message: expect.stringContaining('token 42') }));
  });

  it('refuses a schema name that would have to be escaped', () => {
    const options = { lease, resource: 'r', schema: 'a"; drop table b' };
    expect(() => fencedStatement(options, { text: 'delete from a using kannuki_fence' })).toThrow('schema name');
  });
});
