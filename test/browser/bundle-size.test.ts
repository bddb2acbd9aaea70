/** What a page pays for the lock, and for AutoSave with it: page and worker, minified and compressed. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { measureBundle } from './measure-bundle.ts';

const worker = gzipSync(readFileSync(new URL('../../dist/browser/project-lock/lock-worker.js', import.meta.url)), {
  level: 9,
}).length;
const five = [
  'acquireProjectLock',
  'releaseProjectLock',
  'renewProjectLock',
  'subscribeLockEvents',
  'withProjectLock',
  'ProjectLockError',
];

describe('bundle', () => {
  it('the five functions', async () => {
    const page = await measureBundle('browser/project-lock/index.js', five);
    console.log(`project lock: page ${page} + worker ${worker} = ${page + worker} bytes`);
    expect(page + worker).toBeLessThanOrEqual(5_290);
  });

  it('AutoSave with the lock', async () => {
    const page = await measureBundle('browser/autosave/index.js', ['initAutoSave']);
    console.log(`AutoSave with the lock: page ${page} + worker ${worker} = ${page + worker} bytes`);
    expect(page + worker).toBeLessThanOrEqual(8_615);
  });

  it('take-over, sessions and the way without a worker are not paid for by those who do not use them', async () => {
    const bare = await measureBundle('browser/project-lock/index.js', five);
    const more = await measureBundle('browser/project-lock/index.js', [...five, 'takeOverProjectLock']);
    const all = await measureBundle('browser/project-lock/index.js', [...five, 'createProjectLock']);
    expect(more).toBeGreaterThan(bare + 300);
    expect(all).toBeGreaterThan(bare + 1_000);
  });
});
