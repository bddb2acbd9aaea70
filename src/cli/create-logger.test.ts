import { expect, it } from 'vitest';
import { createLogger } from './create-logger.ts';

it('writes lines of JSON without secrets, wherever they stand', () => {
  const lines: string[] = [];
  const logger = createLogger('info', {
    env: { KANNUKI_API_TOKEN: 'canary-token', DATABASE_URL: 'postgres://app:canary-password@db/app' },
    out: { write: (line) => void lines.push(line) },
  });
  const failed = Object.assign(new Error('no route to postgres://app:canary-password@db/app'), {
    code: '23514',
    detail: 'Failing row contains (canary-row).',
    cause: Object.assign(new Error('below'), { parameters: ['canary-row'] }),
  });
  logger.info('canary-token', { requestId: 'r1', deep: { one: { password: 'canary-three' } }, token: 'canary-four' });
  logger.error('request failed', { requestId: 'r2', cause: failed });
  logger.debug('not at this level');
  const entries = lines.map((line) => JSON.parse(line));
  expect(entries).toMatchObject([
    { msg: '[redacted]', requestId: 'r1', token: '[redacted]' },
    { msg: 'request failed', requestId: 'r2', cause: { code: '23514', cause: { message: 'below' } } },
  ]);
  expect(lines.join('')).not.toContain('canary');
});
