import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { platform } from '../../platform/node.ts';
import { decodeSavedFile, encodeSavedFile } from './saved-file.ts';

const version = { token: 7, seq: 3, time: 1_700_000_000_000 };
const encode = (document: unknown): Promise<string> =>
  encodeSavedFile(version, JSON.stringify(document), platform.sha256);
const decode = (text: string) => decodeSavedFile(text, text.length, platform.sha256);

describe('a saved file', () => {
  it('is JSON that says what it is, and comes back as it was', async () => {
    const text = await encode({ scenes: ['dusk', '灯籠'] });
    expect(JSON.parse(text)).toMatchObject({ ...version, document: { scenes: ['dusk', '灯籠'] } });
    expect(await decode(text)).toMatchObject({
      ...version,
      bytes: text.length,
      document: { scenes: ['dusk', '灯籠'] },
    });
  });

  it('brings back any document that JSON can say', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (document) => {
        const plain = JSON.parse(JSON.stringify(document));
        expect((await decode(await encode(document)))?.document).toEqual(plain);
      }),
      { numRuns: 50 },
    );
  });

  it('is found out when it is cut anywhere', async () => {
    const text = await encode({ a: [1, 2, 3] });
    for (let length = 0; length < text.length; length++) expect(await decode(text.slice(0, length))).toBeUndefined();
  });

  it('is found out when one character is another', async () => {
    const text = await encode({ a: [1, 2, 3] });
    for (let at = 0; at < text.length; at++) {
      const other = text[at] === '0' ? '1' : '0';
      expect(await decode(text.slice(0, at) + other + text.slice(at + 1)), `at ${at}`).toBeUndefined();
    }
    expect(await decode(`${text} `)).toBeUndefined();
  });
});
