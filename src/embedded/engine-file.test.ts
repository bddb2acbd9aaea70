import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEngineFile, writeEngineFile } from './engine-file.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kannuki-engine-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

function makeData(engine: 'pglite' | 'postgres', major: string): void {
  const folder = join(dir, engine === 'postgres' ? 'postgres' : 'pglite/data');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'PG_VERSION'), `${major}\n`);
}

describe('engine.json', () => {
  it('calls a folder without data new', () => {
    expect(readEngineFile(dir)).toBeUndefined();
  });

  it('gives back what was written', () => {
    makeData('postgres', '18');
    expect(writeEngineFile(dir, 'postgres')).toEqual({ engine: 'postgres', major: 18 });
    expect(readEngineFile(dir)).toEqual({ engine: 'postgres', major: 18 });
    expect(JSON.parse(readFileSync(join(dir, 'engine.json'), 'utf8'))).toEqual({ engine: 'postgres', major: 18 });
  });

  it.each(['pglite', 'postgres'] as const)('knows %s by its data when the file was not written yet', (engine) => {
    makeData(engine, '17');
    expect(readEngineFile(dir)).toEqual({ engine, major: 17 });
  });

  it('refuses to begin anew where data should be', () => {
    makeData('postgres', '18');
    writeEngineFile(dir, 'postgres');
    rmSync(join(dir, 'postgres'), { recursive: true });
    expect(() => readEngineFile(dir)).toThrow(expect.objectContaining({ code: 'store-corrupt' }));
  });

  it('does not take what is no data for a new folder', () => {
    mkdirSync(join(dir, 'postgres'));
    expect(readEngineFile(dir)).toBeUndefined();
    writeFileSync(join(dir, 'postgres', 'base'), '');
    expect(() => readEngineFile(dir)).toThrow(expect.objectContaining({ code: 'store-corrupt' }));
  });

  it.each(['', '{', '"postgres"', '{"engine":"mysql"}'])('does not guess from %j', (text) => {
    writeFileSync(join(dir, 'engine.json'), text);
    expect(() => readEngineFile(dir)).toThrow(/engine\.json cannot be understood/);
  });
});
