import { describe, expect, it } from 'vitest';
import { messagesFor } from './messages.ts';
import { chooseStore, describeStore, parseStoreSpec } from './store-spec.ts';

const messages = messagesFor({});

describe('chooseStore', () => {
  const all = { KANNUKI_STORE: 'file:from-store', DATABASE_URL: 'postgres://db/app' };

  it('prefers the option, then KANNUKI_STORE, then DATABASE_URL, then files', () => {
    expect(chooseStore({ store: 'memory', env: all, messages })).toEqual({ kind: 'memory' });
    expect(chooseStore({ store: undefined, env: all, messages })).toEqual({ kind: 'file', dir: 'from-store' });
    const database = { ...all, KANNUKI_STORE: '' };
    expect(chooseStore({ store: undefined, env: database, messages })).toEqual({
      kind: 'postgres',
      url: 'postgres://db/app',
    });
    expect(chooseStore({ store: undefined, env: {}, messages })).toEqual({ kind: 'file', dir: '.kannuki/leases' });
  });

  it('does not take an empty option for none', () => {
    expect(() => chooseStore({ store: '', env: all, messages })).toThrow(/is not understood/);
  });
});

describe('parseStoreSpec', () => {
  it('takes paths as they are', () => {
    for (const [text, dir] of [
      ['file:a/b', 'a/b'],
      ['file:/a b', '/a b'],
      ['file:///a', '/a'],
      ['file://a', 'a'],
    ] as const) {
      expect(parseStoreSpec(text, messages)).toEqual({ kind: 'file', dir });
    }
  });

  it('takes a Firestore project, with or without a collection', () => {
    const spec = { kind: 'firestore', projectId: 'my-project', collection: 'locks' } as const;
    expect(parseStoreSpec('firestore://my-project/locks', messages)).toEqual(spec);
    expect(describeStore(spec)).toBe('firestore://my-project/locks');
    expect(parseStoreSpec('firestore://my-project', messages)).toEqual({ ...spec, collection: 'kannuki-leases' });
    expect(() => parseStoreSpec('firestore://my-project/a/b', messages)).toThrow(/is not understood/);
  });

  it('says in one sentence what it does not take', () => {
    for (const text of ['file:', 'ftp://x', 'postgres', 'redis', 'redis:', 'http://', '/tmp/x']) {
      expect(() => parseStoreSpec(text, messages), text).toThrow(/is not understood; write file:DIR/);
    }
  });

  it('takes Redis, with and without TLS', () => {
    for (const url of ['redis://h:1/2', 'rediss://u:pw@h']) {
      expect(parseStoreSpec(url, messages)).toEqual({ kind: 'redis', url });
    }
  });

  it('shows no password', () => {
    expect(describeStore({ kind: 'postgres', url: 'postgres://u:pw@h/d' })).toBe('postgres://u@h/d');
    expect(() => parseStoreSpec('mysql://u:pw@h/d', messages)).toThrow('"mysql://u@h/d"');
  });
});
