/** Bounds of the HTTP side, each with its reason. */
export const httpLimits = {
  /** 500 renewals with the longest keys fit; more is not a lease request. */
  bodyBytesMax: 1_048_576,
  /** The request line and all headers; a cookie and a bearer token take 1 KB. */
  headerBytesMax: 16_384,
  headersMax: 100,
  /** Headers that trickle in, and bodies: whoever holds a connection must say something. */
  headersMsMax: 10_000,
  requestMsMax: 60_000,
  /** Below the idle limit of most proxies. A longer wait is the same request again, under the same owner. */
  waitMsMax: 60_000,
  /** Renewals of one request: one statement in the store. */
  renewalsMax: 500,
  /** Requests that wait and streams that listen at one time: each holds a connection. */
  waitsMax: 1_000,
  /** Clients of the change stream at one time: each holds a connection and some 50 kB. */
  streamsMax: 2_000,
  /** What a client of the change stream may leave unread; then it is told to load everything instead. */
  unreadBytesMax: 65_536,
  /** A grant id is part of the record. */
  ownerMax: 160,
  /** Reasons are kept with the record and shown to people. */
  reasonMax: 500,
  /** A stream says that it is alive this often; a reader that hears nothing for three times as long gives up. */
  heartbeatMs: 5_000,
} as const;
