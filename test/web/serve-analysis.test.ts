/** `kannuki serve` with analyses in its configuration: the endpoint, its own token, and the job. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.ts';

const internal = 'i'.repeat(40);

describe('kannuki serve with analyses', () => {
  let dir: string;
  let server: TestServer;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'kannuki-config-'));
    const config = join(dir, 'kannuki.config.mjs');
    writeFileSync(config, 'export default { analysis: { analyze: () => ({ words: 3 }) } };');
    server = await startServer({ KANNUKI_INTERNAL_TOKEN: internal }, ['--config', config]);
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const task = (token: string, id = 'nobody-knows') =>
    fetch(`${server.url}/internal/tasks/analysis`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ analysis_id: id }),
    });

  it('opens the endpoint to the internal token only, and knows its jobs', async () => {
    expect((await task('wrong'.repeat(8))).status).toBe(401);
    expect((await task(internal)).status).toBe(404);
    expect(await server.run('jobs', 'list')).toContain('analysis');
  });
});
