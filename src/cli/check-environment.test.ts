import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import type { CliContext } from './cli-context.ts';
import { CliError } from './cli-error.ts';
import { serve } from './commands/serve.ts';
import { runWorker } from './commands/worker.ts';
import { messagesFor } from './messages.ts';

const dir = mkdtempSync(join(tmpdir(), 'kannuki-environment-'));
const file = join(dir, 'a-file');
writeFileSync(file, '');
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const long = 'x'.repeat(40);

/** What is set, and the variables that the sentence must name. */
const cases: readonly (readonly [Readonly<Record<string, string>>, ...string[]])[] = [
  [{ DATABASE_URL: 'localhost:5432/app' }, 'DATABASE_URL'],
  [{ DATABASE_URL: 'mysql://db/app' }, 'DATABASE_URL'],
  [{ REDIS_URL: 'http://cache' }, 'REDIS_URL'],
  [{ KANNUKI_API_TOKEN: 'short' }, 'KANNUKI_API_TOKEN'],
  [{ KANNUKI_API_TOKEN: `${long} with spaces` }, 'KANNUKI_API_TOKEN'],
  [{ KANNUKI_INTERNAL_TOKEN: 'short' }, 'KANNUKI_INTERNAL_TOKEN'],
  [{ KANNUKI_API_TOKEN: long, KANNUKI_INTERNAL_TOKEN: long }, 'KANNUKI_API_TOKEN', 'KANNUKI_INTERNAL_TOKEN'],
  [{ KANNUKI_PUBLIC_URL: 'booking.example.jp' }, 'KANNUKI_PUBLIC_URL'],
  [{ KANNUKI_DATA: file }, 'KANNUKI_DATA'],
  [{ KANNUKI_ALLOW_COMMANDS: 'yes' }, 'KANNUKI_ALLOW_COMMANDS'],
  [{ STRIPE_SECRET_KEY: 'sk_test_1' }, 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'],
  [{ STRIPE_WEBHOOK_SECRET: 'whsec_1' }, 'STRIPE_WEBHOOK_SECRET', 'STRIPE_SECRET_KEY'],
  [{ STRIPE_API_URL: 'stripe' }, 'STRIPE_API_URL'],
  [{ SMTP_URL: 'smtp://mail' }, 'SMTP_URL', 'SMTP_FROM'],
  [{ SMTP_FROM: 'a@example.jp' }, 'SMTP_FROM', 'SMTP_URL'],
  [{ SMTP_URL: 'http://mail', SMTP_FROM: 'a@example.jp' }, 'SMTP_URL'],
  [{ SHOTSTACK_URL: 'https://api.example' }, 'SHOTSTACK_URL', 'SHOTSTACK_API_KEY'],
  [{ SHOTSTACK_STAGE: 'production' }, 'SHOTSTACK_STAGE'],
  [{ S3_BUCKET: 'logs', S3_ACCESS_KEY_ID: 'id' }, 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  [{ S3_BUCKET: 'logs', S3_SECRET_ACCESS_KEY: 'key' }, 'S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID'],
  [{ S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'key' }, 'S3_ACCESS_KEY_ID', 'S3_BUCKET'],
  [{ S3_BUCKET: 'logs', S3_ENDPOINT: 'minio:9000' }, 'S3_ENDPOINT'],
  [{ SLACK_WEBHOOK_URL: 'hooks' }, 'SLACK_WEBHOOK_URL'],
  [{ KANNUKI_ALERT_WEBHOOK_URL: 'ftp://x' }, 'KANNUKI_ALERT_WEBHOOK_URL'],
  [{ PAGERDUTY_URL: 'https://events.example' }, 'PAGERDUTY_URL', 'PAGERDUTY_KEY'],
];

describe('a wrong or half configuration stops the start', () => {
  const data = join(dir, 'never-made');
  const contextOf = (env: Readonly<Record<string, string>>, language: string): CliContext => ({
    env,
    messages: messagesFor({ LANG: language }),
    platform,
    colour: false,
    print: (line) => expect.unreachable(line),
    say() {},
  });

  it.each(cases.map(([env, ...names]) => ({ env, names })))('$env', async ({ env, names }) => {
    const named = 'KANNUKI_DATA' in env ? {} : { data };
    for (const language of ['C', 'ja_JP.UTF-8']) {
      const context = contextOf(env, language);
      const starts = [
        () => serve(context, { port: '0', host: '127.0.0.1', logLevel: 'error', worker: true, ...named }),
        () => runWorker(context, { logLevel: 'error', ...named }),
      ];
      for (const start of starts) {
        const error: unknown = await start().catch((cause: unknown) => cause);
        expect(error).toBeInstanceOf(CliError);
        const { exitCode, message } = error as CliError;
        expect(exitCode).toBe(2);
        expect(message.split('\n')).toHaveLength(1);
        for (const name of names) expect(message).toContain(name);
        for (const value of Object.values(env))
          if (value !== file && value.length > 20) expect(message).not.toContain(value);
      }
    }
    expect(existsSync(data)).toBe(false);
  });

  it('an address that others reach, without a token', async () => {
    const start = serve(contextOf({}, 'C'), { port: '0', host: '0.0.0.0', logLevel: 'error', worker: true, data });
    await expect(start).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining('KANNUKI_API_TOKEN') });
  });
});
