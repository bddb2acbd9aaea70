import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import type { Messages } from './messages.ts';

/** Where leases live, as written on the command line. */
export type StoreSpec =
  | { readonly kind: 'file'; readonly dir: string }
  | { readonly kind: 'firestore'; readonly projectId: string; readonly collection: string }
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'memory' }
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'redis'; readonly url: string };

export interface ChooseStoreOptions {
  /** What `--store` said. */
  readonly store: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly messages: Messages;
}

/**
 * `--store`, else KANNUKI_STORE, else DATABASE_URL, else files below the working folder. Whether a server happens to
 * run plays no part: two stores are two locks.
 */
export function chooseStore({ store, env, messages }: ChooseStoreOptions): StoreSpec {
  return parseStoreSpec(store ?? (env.KANNUKI_STORE || env.DATABASE_URL || 'file:.kannuki/leases'), messages);
}

export function parseStoreSpec(text: string, messages: Messages): StoreSpec {
  if (text === 'memory') return { kind: 'memory' };
  const scheme = /^([a-z]+):/.exec(text)?.[1];
  const valid = URL.canParse(text);
  if (scheme === 'file' && text.length > 'file:'.length) return { kind: 'file', dir: fileDir(text) };
  if ((scheme === 'postgres' || scheme === 'postgresql') && valid) return { kind: 'postgres', url: text };
  if ((scheme === 'http' || scheme === 'https') && valid) return { kind: 'http', url: text };
  const firestore = /^firestore:\/\/([a-z][a-z0-9-]*)(?:\/([A-Za-z0-9_.-]+))?$/.exec(text);
  if (firestore) {
    return { kind: 'firestore', projectId: firestore[1] ?? '', collection: firestore[2] ?? 'kannuki-leases' };
  }
  if (/^rediss?:\/\//.test(text) && valid) return { kind: 'redis', url: text };
  throw new CliError(messages.badStore(withoutPassword(text)), exitCodes.usage);
}

/** The spec for people: no password in it. */
export function describeStore(spec: StoreSpec): string {
  switch (spec.kind) {
    case 'file':
      return `file:${spec.dir}`;
    case 'firestore':
      return `firestore://${spec.projectId}/${spec.collection}`;
    case 'memory':
      return 'memory';
    default:
      return withoutPassword(spec.url);
  }
}

/** `file:DIR` is a plain path; the URL forms `file:///DIR` and `file://DIR` are taken as the same. */
function fileDir(text: string): string {
  return text.slice('file:'.length).replace(/^\/\/(?=.)/, '');
}

function withoutPassword(text: string): string {
  return text.replace(
    /^([a-z]+:\/\/)([^/@\s]*)@/i,
    (_, scheme: string, user: string) => `${scheme}${user.split(':')[0]}@`,
  );
}
