/** Connections to one server that stay open, for requests and answers that are small. */
export interface Connections {
  /** Sends at once. Redirects are answers like others: what is sent must not travel elsewhere. */
  exchange(request: ExchangeRequest): Exchange;
  /** Closes those that are idle and gives up what is under way. */
  close(): void;
}

export interface ExchangeRequest {
  readonly method: string;
  /** Below the address of the server, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Exchange {
  /** Rejects when there was no whole answer; whether the request took effect is then not known. */
  readonly answer: Promise<{ readonly status: number; readonly text: string }>;
  /** Gives up: `answer` rejects, unless it is there already. */
  cancel(): void;
}
