/**
 * What Kannuki needs from the outside: interfaces only. A store decides with its own clock; a platform lends the
 * clock, timers and chance of the process. Everything here is a plain object made by a function.
 */
import type { Connections } from './connections.ts';

/** A timer that was set. Cancelling twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds that never go back. On most systems they stand still while the machine sleeps. */
  monotonicMs(): number;
  /** Milliseconds since 1970 by the wall clock, which people and NTP may set. */
  wallMs(): number;
  /** Calls `run` after `delayMs`. A background timer does not keep the process alive. */
  after(delayMs: number, run: () => void, options?: { readonly background?: boolean }): Timer;
}

export interface Random {
  /** A fraction in [0, 1). */
  fraction(): number;
  /** `bytes` random bytes in lower-case hexadecimal. */
  hex(bytes: number): string;
}

/** Remembers a value along a flow of control (AsyncLocalStorage in Node). Used to detect re-entry. */
export interface FlowContext<T> {
  run<R>(value: T, fn: () => R): R;
  get(): T | undefined;
}

export interface Platform {
  readonly clock: Clock;
  readonly random: Random;
  /** A name people recognise: host and process id in Node. */
  readonly processName: string;
  /** Absent where the engine offers no such thing; re-entry is then not detected. */
  createFlowContext?<T>(): FlowContext<T>;
  /** SHA-256 of a text, in hexadecimal. */
  sha256(text: string): Promise<string>;
  /** Connections to the server at `base`. Absent where `fetch` is all there is. */
  openConnections?(base: string): Connections;
}

export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

// ---------------------------------------------------------------------------------------------------- leases

/** Part of a capacity. Absent = exclusive. A semaphore of n is (1 of n); a reader is (1 of `sharedCapacity`). */
export interface Share {
  readonly weight: number;
  readonly capacity: number;
}

/** Either it can, or it says why not; the documentation prints the reason. */
export type Capability = true | { readonly no: string };

export interface LeaseCapabilities {
  /** Refused contenders stand in line in the store; a release grants to the first and tells only that process. */
  readonly line: Capability;
  /** Shared (read) leases that exclude exclusive ones of the same key. */
  readonly shared: Capability;
  /** Counted leases: at most `capacity` of weight at once. */
  readonly counted: Capability;
  /** Several keys in one all-or-nothing step. */
  readonly several: Capability;
  /** `claim` raises a fence kept in the store. */
  readonly fences: Capability;
  /** Records outlive the process that made them. */
  readonly durable: Capability;
  /** Processes on other machines may share it. */
  readonly network: Capability;
}

export interface AcquireRequest {
  readonly key: string;
  /** The grant id, `<process>.<n>@<name>`: new for each attempt, repeated when the reply was lost. */
  readonly owner: string;
  readonly ttlMs: number;
  /** Stand in line when it is held. */
  readonly line: boolean;
  readonly share?: Share;
}

export type AcquireReply =
  | {
      readonly granted: true;
      /** First number of the block that belongs to this grant. */
      readonly token: number;
      /** Last number of the block: what the record keeps, and what renew and release name. */
      readonly lastToken: number;
    }
  | {
      readonly granted: false;
      /**
       * The record's last token when the refusal was decided: only a notice above it is news. Where a store cannot
       * tell (it lost a race), the largest safe integer: no notice is believed before the next answer.
       */
      readonly token: number;
      /** Grant id of a holder, where known. */
      readonly holder?: string;
      /** Until the holder's end by the store's clock, where known. */
      readonly remainingMs?: number;
      /** We stand in line now. */
      readonly inLine: boolean;
    };

export interface AcquireAllRequest {
  /** Sorted, without repeats. */
  readonly keys: readonly string[];
  readonly owner: string;
  readonly ttlMs: number;
}

export type AcquireAllReply =
  | {
      readonly granted: true;
      readonly tokens: readonly { readonly key: string; readonly token: number; readonly lastToken: number }[];
    }
  | { readonly granted: false; readonly key: string; readonly holder?: string; readonly remainingMs?: number };

export interface RenewRequest {
  readonly key: string;
  readonly owner: string;
  /** The grant's last token. */
  readonly token: number;
  readonly ttlMs: number;
  readonly share?: Share;
}

export interface ReleaseRequest {
  readonly key: string;
  readonly owner: string;
  /** The grant's last token; null = whatever this grant id was given (its reply or notice never came). */
  readonly token: number | null;
  /** How long the heir's grant lasts unless it renews. */
  readonly acceptMs: number;
  readonly share?: Share;
  /** The grant came with a notice: more are likely to stand in line. Only a hint to do first what will be needed. */
  readonly handedOver?: boolean;
}

export interface LeaveRequest {
  readonly key: string;
  readonly owner: string;
}

export interface BreakRequest {
  readonly key: string;
  /** Told to the holder, and kept. */
  readonly reason: string;
  /** Who broke it. */
  readonly by: string;
  readonly acceptMs: number;
}

export type BreakReply =
  | { readonly broken: true; readonly holders: readonly string[]; readonly token: number }
  | { readonly broken: false };

/** Why a grant is no longer in force. */
export type LossCause =
  | { readonly kind: 'broken'; readonly by: string; readonly reason: string }
  | { readonly kind: 'taken'; readonly holder: string }
  | { readonly kind: 'expired' };

export interface LeaseInfo {
  readonly key: string;
  /** Grant id of the holder. */
  readonly owner: string;
  readonly token: number;
  readonly remainingMs: number;
  readonly share?: Share;
  /** How many stand in line. */
  readonly waiting: number;
}

/** A place in the order of lists: by key, and by token where several hold one key. */
export type ListPlace = Pick<LeaseInfo, 'key' | 'token'>;

export interface ListRequest {
  readonly prefix?: string;
  /** Only what stands after it; the last entry of the page before. Its key begins with `prefix`. */
  readonly after?: ListPlace;
  readonly limit: number;
}

export interface ClaimRequest {
  readonly resource: string;
  readonly token: number;
}

/** `token` is what the fence stands at now. */
export type ClaimReply = { readonly claimed: boolean; readonly token: number };

export type Notice =
  /** A release handed the lease to this grant id. */
  | {
      readonly kind: 'granted';
      readonly key: string;
      readonly owner: string;
      readonly token: number;
      readonly lastToken: number;
      readonly acceptMs: number;
    }
  /** An operator broke the lease of this grant id. */
  | { readonly kind: 'broken'; readonly key: string; readonly owner: string };

export interface Subscription {
  /** False once notices may be missed (the connection broke); the keeper then subscribes anew. */
  isLive(): boolean;
  close(): Promise<void>;
}

/** Watches one key of a store that has no line. A hint may be late, doubled or missing. */
export interface Watch {
  close(): void;
}

/**
 * Where leases live. Each method is one atomic step in the store, judged by the store's clock. Stores hold no
 * leases of their own: the keeper remembers, the store decides. Broken contracts and I/O throw `LeaseError`.
 */
export interface LeaseStore {
  readonly name: string;
  readonly capabilities: LeaseCapabilities;
  acquire(request: AcquireRequest): Promise<AcquireReply>;
  acquireAll(request: AcquireAllRequest): Promise<AcquireAllReply>;
  /** One answer per request, in order; false = not in force. Never shortens, never revives. */
  renew(requests: readonly RenewRequest[]): Promise<readonly boolean[]>;
  /** False = this grant was not in the record: nothing was changed. */
  release(request: ReleaseRequest): Promise<boolean>;
  /** False = not in line: the grant may have arrived; release it with token null. */
  leave(request: LeaveRequest): Promise<boolean>;
  breakLease(request: BreakRequest): Promise<BreakReply>;
  /** Asked after a refused renewal, for the sake of a good message. */
  explainLoss(request: { readonly key: string; readonly owner: string; readonly token: number }): Promise<LossCause>;
  /** In the order of the keys, and of the tokens where several hold one key. */
  list(request: ListRequest): Promise<readonly LeaseInfo[]>;
  /** Raises the fence of a resource, only upwards; refused when a later holder has claimed it. */
  claim(request: ClaimRequest): Promise<ClaimReply>;
  /** Notices for the grant ids that begin with `process`. Called only where `capabilities.line` is true. */
  subscribe(process: string, onNotice: (notice: Notice) => void): Promise<Subscription>;
  /** Stores without a line may offer a hint that a key has changed. */
  watch?(key: string, onChange: () => void): Watch;
  /** The database to migrate before first use, and what it needs. */
  readonly schema?: { readonly database: SqlDatabase; readonly migrations: readonly MigrationSet[] };
  close(): Promise<void>;
}

// ---------------------------------------------------------------------------------------------------- SQL

export interface SqlStatement {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Prepared under this name where the database allows it. */
  readonly name?: string;
}

export interface SqlResult<Row> {
  readonly rows: readonly Row[];
  /** Rows returned or changed. */
  readonly rowCount: number;
}

export interface SqlExecutor {
  query<Row = Record<string, unknown>>(statement: SqlStatement): Promise<SqlResult<Row>>;
}

export interface SqlCapabilities {
  /** More than one connection: row locks between statements mean something. */
  readonly concurrent: boolean;
  /** Acknowledged commits survive a power loss. */
  readonly fsync: boolean;
  /** LISTEN works (a direct connection, or in-process). */
  readonly listen: boolean;
}

/** A PostgreSQL dialect database, whether a server or PGlite. bigint comes back as a number (safe integers only). */
export interface SqlDatabase extends SqlExecutor {
  readonly capabilities: SqlCapabilities;
  /** Schema in which every Kannuki table lives. */
  readonly schema: string;
  /** Runs `work` in one READ COMMITTED transaction; a throw rolls back. An unknown commit throws `store-unavailable`. */
  transaction<T>(work: (tx: SqlExecutor) => Promise<T>): Promise<T>;
  /** Lends one connection for statements that must share it. */
  session<T>(work: (connection: SqlExecutor) => Promise<T>): Promise<T>;
  /** Hears notifications of a channel on a connection of its own. */
  listen(channel: string, onNotify: (payload: string) => void): Promise<Subscription>;
  close(): Promise<void>;
}

export interface Migration {
  readonly number: number;
  readonly name: string;
  /** Statements of one transaction; `schema` is a quoted identifier. */
  statements(schema: string): readonly string[];
}

/** The tables of one system, forward only. */
export interface MigrationSet {
  readonly system: string;
  readonly migrations: readonly Migration[];
  /**
   * After a backup was restored: statements that raise every number this system gives out to $1 (the store's clock in
   * µs), so that what the old store granted after the backup was taken is refused too.
   */
  afterRestore?(schema: string): readonly string[];
}
