/** Messages as `text/event-stream` writes them. */
import { type Change, type ChangeTopic, changeTopics, manyIds, namedIdsMax } from './change-topics.ts';

/** What listeners are handed: encoded once, for all of them. */
export interface FeedMessage {
  readonly kind: 'alive' | 'change' | 'reset';
  readonly bytes: Uint8Array;
  /** What to say instead to one who is too slow to hear all: begin anew, as of the same place. */
  readonly instead: Uint8Array;
}

const encoder = new TextEncoder();

/** Every message but the last carries the place before: who breaks off between them hears them again. */
export function changeMessage(changes: readonly Change[], beforeId: string, id: string): FeedMessage {
  const last = changes.length - 1;
  const text = changes.map((change, at) => eventText('change', at === last ? id : beforeId, change)).join('');
  return { kind: 'change', bytes: encoder.encode(text), instead: resetBytes(id) };
}

/** Load everything anew: what was told before may have a hole. */
export function resetMessage(id: string): FeedMessage {
  const bytes = resetBytes(id);
  return { kind: 'reset', bytes, instead: bytes };
}

/** A comment, which no client shows, and the place without an event, which every client remembers. */
export function aliveMessage(id: string): FeedMessage {
  return { kind: 'alive', bytes: encoder.encode(`: alive\nid: ${id}\n\n`), instead: resetBytes(id) };
}

/** Each once; a topic with too many is told as a whole. */
export function mergeChanges(
  rows: readonly { readonly topic: string; readonly ids: readonly string[] | null }[],
): readonly Change[] {
  const topics = new Map<ChangeTopic, Set<string> | undefined>();
  for (const { topic, ids } of rows) {
    if (!isTopic(topic)) continue;
    const known = topics.has(topic) ? topics.get(topic) : new Set<string>();
    for (const id of ids ?? []) known?.add(id);
    topics.set(topic, ids === null || (known?.size ?? 0) > namedIdsMax ? undefined : known);
  }
  return [...topics].flatMap(([topic, ids]) => [...(ids ?? [manyIds])].map((id) => ({ topic, id })));
}

export function everything(): readonly Change[] {
  return changeTopics.map((topic) => ({ topic, id: manyIds }));
}

function resetBytes(id: string): Uint8Array {
  return encoder.encode(eventText('reset', id, {}));
}

function eventText(event: string, id: string, data: object): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function isTopic(text: string): text is ChangeTopic {
  return changeTopics.some((topic) => topic === text);
}
