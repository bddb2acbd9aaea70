/**
 * The environment of `serve` and `worker`, checked before anything is opened: what is wrong or half configured stops the
 * start with one sentence that names the variable. Empty is the same as not set.
 */
import { existsSync, statSync } from 'node:fs';
import type { CliContext } from './cli-context.ts';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';

const web = ['https:', 'http:'];

const addresses: Readonly<Record<string, { readonly protocols: readonly string[]; readonly example: string }>> = {
  DATABASE_URL: { protocols: ['postgres:', 'postgresql:'], example: 'postgres://user:password@host/database' },
  KANNUKI_ALERT_WEBHOOK_URL: { protocols: web, example: 'https://alerts.example.com/kannuki' },
  KANNUKI_PUBLIC_URL: { protocols: web, example: 'https://booking.example.jp' },
  PAGERDUTY_URL: { protocols: web, example: 'https://events.pagerduty.com/v2/enqueue' },
  REDIS_URL: { protocols: ['redis:', 'rediss:'], example: 'redis://host:6379' },
  S3_ENDPOINT: { protocols: web, example: 'https://s3.example.com' },
  SHOTSTACK_URL: { protocols: web, example: 'https://api.shotstack.io' },
  SLACK_WEBHOOK_URL: { protocols: ['https:', 'http:'], example: 'https://hooks.slack.com/services/…' },
  SMTP_URL: { protocols: ['smtp:', 'smtps:'], example: 'smtp://user:password@host:587' },
  STRIPE_API_URL: { protocols: web, example: 'https://api.stripe.com' },
};

/** The first makes no sense without the second. */
const needs: readonly (readonly [string, string])[] = [
  ['PAGERDUTY_URL', 'PAGERDUTY_KEY'],
  ['S3_ACCESS_KEY_ID', 'S3_BUCKET'],
  ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['S3_ENDPOINT', 'S3_BUCKET'],
  ['S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID'],
  ['SHOTSTACK_URL', 'SHOTSTACK_API_KEY'],
  ['SMTP_FROM', 'SMTP_URL'],
  ['SMTP_URL', 'SMTP_FROM'],
  ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'],
  ['STRIPE_WEBHOOK_SECRET', 'STRIPE_SECRET_KEY'],
];

const choices: Readonly<Record<string, readonly string[]>> = {
  KANNUKI_ALLOW_COMMANDS: ['0', '1'],
  SHOTSTACK_STAGE: ['stage', 'v1'],
};

const tokens = ['KANNUKI_API_TOKEN', 'KANNUKI_INTERNAL_TOKEN'];
const tokenLengthMin = 32;

/** The data folder may be missing: it is made. */
export function checkDataDir({ messages }: Pick<CliContext, 'messages'>, dir: string): void {
  if (existsSync(dir) && !statSync(dir).isDirectory()) throw new CliError(messages.badDataDir(dir), exitCodes.usage);
}

/** Throws the first thing that is wrong, with the exit code of a wrong usage. */
export function checkEnvironment({ env, messages }: Pick<CliContext, 'env' | 'messages'>): void {
  const fail = (message: string): never => {
    throw new CliError(message, exitCodes.usage);
  };
  for (const [name, { protocols, example }] of Object.entries(addresses)) {
    const value = env[name];
    if (value && !(URL.canParse(value) && protocols.includes(new URL(value).protocol)))
      fail(messages.badUrl(name, example));
  }
  for (const [given, missing] of needs) {
    if (env[given] && !env[missing]) fail(messages.halfConfigured(given, missing));
  }
  for (const [name, allowed] of Object.entries(choices)) {
    const value = env[name];
    if (value && !allowed.includes(value)) fail(messages.badChoice(name, allowed));
  }
  for (const name of tokens) {
    const value = env[name];
    if (value && !(value.length >= tokenLengthMin && /^[\x21-\x7e]+$/.test(value)))
      fail(messages.shortToken(name, tokenLengthMin));
  }
  // A queue that could sign in as an admin would be no queue.
  if (env.KANNUKI_API_TOKEN && env.KANNUKI_API_TOKEN === env.KANNUKI_INTERNAL_TOKEN)
    fail(messages.sameTokens('KANNUKI_API_TOKEN', 'KANNUKI_INTERNAL_TOKEN'));
}
