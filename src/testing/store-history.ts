import type {
  AcquireAllReply,
  AcquireAllRequest,
  AcquireReply,
  AcquireRequest,
  BreakReply,
  BreakRequest,
  ClaimReply,
  ClaimRequest,
  LeaseInfo,
  LeaveRequest,
  ListRequest,
  LossCause,
  ReleaseRequest,
  RenewRequest,
} from '../core/ports.ts';

/** Every method of a store that asks and answers: what goes in, what comes out. */
export interface StoreCalls {
  readonly acquire: { readonly request: AcquireRequest; readonly reply: AcquireReply };
  readonly acquireAll: { readonly request: AcquireAllRequest; readonly reply: AcquireAllReply };
  readonly breakLease: { readonly request: BreakRequest; readonly reply: BreakReply };
  readonly claim: { readonly request: ClaimRequest; readonly reply: ClaimReply };
  readonly explainLoss: {
    readonly request: { readonly key: string; readonly owner: string; readonly token: number };
    readonly reply: LossCause;
  };
  readonly leave: { readonly request: LeaveRequest; readonly reply: boolean };
  readonly list: { readonly request: ListRequest; readonly reply: readonly LeaseInfo[] };
  readonly release: { readonly request: ReleaseRequest; readonly reply: boolean };
  readonly renew: { readonly request: readonly RenewRequest[]; readonly reply: readonly boolean[] };
}

export type StoreOperation = keyof StoreCalls;

/** One call as a client saw it. `reply` and `error` both absent: no answer came, the outcome is unknown. */
export type StoreCall = {
  [Op in StoreOperation]: {
    readonly op: Op;
    readonly request: StoreCalls[Op]['request'];
    readonly reply?: StoreCalls[Op]['reply'];
    readonly error?: unknown;
    readonly sentAtMs: number;
    readonly repliedAtMs?: number;
    /** When the store carried it out, each time. Known to the wrapper, not to the client. */
    readonly executedAtMs: readonly number[];
    /** Which client called. */
    readonly process: string;
  };
}[StoreOperation];
