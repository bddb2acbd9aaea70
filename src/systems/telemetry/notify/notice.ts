/** Something people must be told. Channels turn it into what their receiver understands. */
export interface Notice {
  /** The same notice sent twice has the same id: receivers that can, show it once. At most 255 characters. */
  readonly id: string;
  readonly severity: 'critical' | 'warning' | 'info';
  /** `closed`: what was told has passed. */
  readonly state: 'open' | 'closed';
  readonly title: string;
  readonly text: string;
  /** Shown as a table, in this order. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Sends one notice; throws `delivery-failed` when the receiver did not take it. */
export interface Channel {
  readonly name: string;
  send(notice: Notice): Promise<void>;
}
