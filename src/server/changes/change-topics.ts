/** What a change can be about. A page or program that shows one of them asks again when it hears the word. */
export const changeTopics = [
  'alerts',
  'audit',
  'flags',
  'jobs',
  'leases',
  'mails',
  'races',
  'reservations',
  'runs',
  'settings',
  'workers',
] as const;

export type ChangeTopic = (typeof changeTopics)[number];

/** One message of the stream. */
export interface Change {
  readonly topic: ChangeTopic;
  /** The row's id or key; `*`: many of this topic at once. */
  readonly id: string;
}

/** So many of one topic are named; of more it is said that they are many. */
export const namedIdsMax = 100;

/** Stands for all ids of a topic. */
export const manyIds = '*';
