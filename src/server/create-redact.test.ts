import { describe, expect, it } from 'vitest';
import { createRedact, secretsOf } from './create-redact.ts';

describe('redact', () => {
  const redact = createRedact(['s3cr3t-"quoted"', 'short']);

  it.each([
    ['Authorization: Bearer abcdefgh12345', 'abcdefgh12345'],
    [`token knk_0123456789ab_${'f'.repeat(64)} is bad`, 'ffff'],
    ['connect postgres://app:hunter2hunter2@db/app failed', 'hunter2hunter2'],
    [`/sign-in#code=${'c'.repeat(64)}`, 'cccc'],
    ['cookie kannuki_session=eyJhbGciOi.c2ln', 'eyJhbGciOi'],
    ['whsec_abcdefgh1234', 'abcdefgh1234'],
    ['known s3cr3t-"quoted" value', 's3cr3t'],
    [JSON.stringify({ cause: 's3cr3t-"quoted"' }), 's3cr3t'],
  ])('blanks %s', (text, secret) => {
    expect(text).toContain(secret);
    expect(redact(text)).not.toContain(secret);
    expect(redact(text)).toContain('[redacted]');
  });

  it.each(['short words stay', 'http://127.0.0.1:4010/api/v1/leases', 'Bearer …', 'key=jobs/nightly'])(
    'leaves %s',
    (text) => expect(redact(text)).toBe(text),
  );

  it('knows the secrets of an environment by the names of its variables', () => {
    const found = secretsOf({
      KANNUKI_API_TOKEN: 'one',
      STRIPE_WEBHOOK_SECRET: 'two',
      DATABASE_URL: 'postgres://app:p%40ss@db/app',
      SLACK_WEBHOOK_URL: 'https://hooks.example/abc',
      PATH: '/bin',
      KANNUKI_URL: 'http://127.0.0.1:4010',
    });
    expect(found).toEqual(['one', 'two', 'p%40ss', 'p@ss', 'https://hooks.example/abc']);
  });
});
