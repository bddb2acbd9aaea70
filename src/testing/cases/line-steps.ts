/** Steps that cases about waiting share: hold a key, stand in line for it, hand it over. */
import type { LeaseStore, Notice, Share, Subscription } from '../../core/ports.ts';
import { assertEqual, assertGranted, type RefusedReply } from '../case-assertions.ts';
import { type CaseContext, longMs, newContender, within } from '../case-context.ts';
import { type EventProbe, eventProbe } from '../event-probe.ts';

export interface Held {
  readonly store: LeaseStore;
  readonly key: string;
  readonly owner: string;
  /** The grant's last number. */
  readonly token: number;
  readonly share?: Share;
}

interface Waiting {
  readonly granted: false;
  readonly store: LeaseStore;
  readonly key: string;
  readonly owner: string;
  readonly refused: RefusedReply;
  readonly probe: EventProbe<Notice>;
  readonly subscription: Subscription;
  readonly share?: Share;
}

type GrantNotice = Notice & { readonly kind: 'granted' };

function isGrant(notice: Notice): notice is GrantNotice {
  return notice.kind === 'granted';
}

/** Somebody holds a new key. */
export async function holdKey(
  context: CaseContext,
  hint: string,
  ttlMs: number = longMs,
  share?: Share,
): Promise<Held> {
  return hold(context, context.freshKey(hint), share, ttlMs);
}

/** Somebody else holds a part of a key, or a key that is free. */
export async function hold(
  { openStore }: CaseContext,
  key: string,
  share?: Share,
  ttlMs: number = longMs,
): Promise<Held> {
  const store = await openStore();
  const owner = newContender('holder').newOwner();
  const shared = share ? { share } : {};
  const { lastToken: token } = assertGranted(
    await store.acquire({ key, owner, ttlMs, line: false, ...shared }),
    `"${key}"`,
  );
  return { store, key, owner, token, ...shared };
}

/** A process of its own listens, asks, is refused and stands in line. */
export async function joinLine(context: CaseContext, key: string, share?: Share): Promise<Waiting> {
  const waiting = await joinLineOrTake(context, key, share);
  if (waiting.granted) throw new Error(`the waiter for "${key}" should be refused, but was granted`);
  return waiting;
}

/** The same where it may also be granted at once. */
export async function joinLineOrTake(
  { openStore }: CaseContext,
  key: string,
  share?: Share,
): Promise<Waiting | { readonly granted: true }> {
  const store = await openStore();
  const contender = newContender('waiter');
  const probe = eventProbe<Notice>();
  const subscription = await store.subscribe(contender.process, probe.record);
  const owner = contender.newOwner();
  const shared = share ? { share } : {};
  const reply = await store.acquire({ key, owner, ttlMs: longMs, line: true, ...shared });
  if (reply.granted) return { granted: true };
  return { granted: false, store, key, owner, probe, subscription, refused: reply, ...shared };
}

export async function releaseHeld({ store, key, owner, token, share }: Held, acceptMs: number): Promise<void> {
  const reply = await store.release({ key, owner, token, acceptMs, ...(share && { share }) });
  assertEqual(reply, true, `the release of "${key}" by ${owner}`);
}

/** The notice that makes this waiter the holder. */
export async function heirOf({ clock }: CaseContext, { probe, owner, key }: Waiting): Promise<GrantNotice> {
  const notice = await within(clock, 5_000, `the notice for ${owner}`, probe.next(isGrant));
  assertEqual([notice.key, notice.owner], [key, owner], 'whom the notice names');
  return notice;
}
