/** Every example runs as it stands, with one command, against the built package. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the example', () => {
  it('analysis: one body, one result, whoever calls how often', { timeout: 120_000 }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['examples/analysis/analysis.mjs'], { cwd: root });
    const lines = stdout.trim().split('\n');
    expect(lines.filter((line) => line === 'analysing page-1')).toHaveLength(1);
    expect(lines.filter((line) => line === '200 done')).toHaveLength(1);
    expect(lines.filter((line) => line === '409 skipped (locked)')).toHaveLength(2);
    expect(lines.filter((line) => line === '200 skipped (already_finished)')).toHaveLength(3);
    expect(lines.at(-1)).toBe('READY: 6 words, the longest is "happens"');
  });
});
