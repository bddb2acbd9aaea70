/**
 * What goes over the wire. Requests are checked by the schemas and unknown fields are refused; replies are plain JSON
 * of the types below. Paths and roles are in routes.ts, failures in problem.ts.
 */
import { z } from 'zod';
import { checkKey } from '../core/lease-arguments.ts';
import { limits } from '../core/limits.ts';
import type { LeaseCapabilities, LeaseInfo, LossCause, Notice } from '../core/ports.ts';
import { httpLimits } from './http-limits.ts';
import { cursorOf } from './paging/page-cursor.ts';
import { type PagedReply, pageLimit } from './paging/page-query.ts';

/** `shared` is a reader; `capacity` and `weight` make a counted lease; none of them an exclusive one. */
export interface ShareFields {
  readonly shared?: true;
  readonly capacity?: number;
  /** @default 1 */
  readonly weight?: number;
}

export interface AcquireBody extends ShareFields {
  readonly key: string;
  /** The grant id: new for each attempt, repeated when the reply was lost. @default made by the server */
  readonly owner?: string;
  readonly ttlMs: number;
  /** Answer only when granted, or after this long. @default 0 */
  readonly waitMs?: number;
  /** Stand in line although the reply comes at once; the grant then arrives as a notice. @default false */
  readonly line?: boolean;
}

export interface AcquireAllBody {
  readonly keys: readonly string[];
  readonly owner?: string;
  readonly ttlMs: number;
}

export interface RenewOneBody extends ShareFields {
  readonly key: string;
  readonly owner: string;
  /** The grant's last token. */
  readonly token: number;
  readonly ttlMs: number;
}

export interface RenewManyBody {
  readonly leases: readonly RenewOneBody[];
}

export interface ReleaseBody extends ShareFields {
  readonly key: string;
  readonly owner: string;
  /** The grant's last token; null = whatever this grant id was given. */
  readonly token: number | null;
  /** How long the heir's grant lasts unless it renews. @default 2000 */
  readonly acceptMs?: number;
}

export interface LeaveBody {
  readonly key: string;
  readonly owner: string;
}

export interface BreakBody {
  readonly key: string;
  readonly reason: string;
  /** Who does it, told to the holder. @default the name of the token */
  readonly by?: string;
  /** @default 2000 */
  readonly acceptMs?: number;
}

export interface ExplainLossBody {
  readonly key: string;
  readonly owner: string;
  readonly token: number;
}

export interface ClaimBody {
  readonly resource: string;
  readonly token: number;
}

export interface ListQuery {
  readonly prefix?: string;
  readonly cursor?: readonly [key: string, token: number];
  /** @default 100 */
  readonly limit?: number;
}

export interface NoticesQuery {
  /** The process part of the grant ids. */
  readonly process: string;
}

const key = checkedKey('lease key');
const owner = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must consist of printable ASCII characters without spaces')
  .max(httpLimits.ownerMax);
const ttlMs = z.number().min(limits.ttlMsMin).max(limits.ttlMsMax);
const token = z.int().min(0);
const acceptMs = z.number().min(1).max(limits.acceptMsMax).exactOptional();
const capacity = z.int().min(1).max(limits.capacityMax).exactOptional();
const share = { shared: z.literal(true).exactOptional(), capacity, weight: capacity };
const renewal = z.strictObject({ key, owner, token, ttlMs, ...share });

export const acquireBody: z.ZodType<AcquireBody> = z.strictObject({
  key,
  owner: owner.exactOptional(),
  ttlMs,
  waitMs: z.number().min(0).max(httpLimits.waitMsMax).exactOptional(),
  line: z.boolean().exactOptional(),
  ...share,
});

export const acquireAllBody: z.ZodType<AcquireAllBody> = z.strictObject({
  keys: z.array(key).min(1).max(limits.keysPerRequestMax),
  owner: owner.exactOptional(),
  ttlMs,
});

export const renewOneBody: z.ZodType<RenewOneBody> = renewal;

export const renewManyBody: z.ZodType<RenewManyBody> = z.strictObject({
  leases: z.array(renewal).max(httpLimits.renewalsMax),
});

export const releaseBody: z.ZodType<ReleaseBody> = z.strictObject({
  key,
  owner,
  token: token.nullable(),
  acceptMs,
  ...share,
});

export const leaveBody: z.ZodType<LeaveBody> = z.strictObject({ key, owner });

export const breakBody: z.ZodType<BreakBody> = z.strictObject({
  key,
  reason: z.string().trim().min(1, 'must say why the lease is broken').max(httpLimits.reasonMax),
  by: z.string().trim().min(1).max(limits.processNameMax).exactOptional(),
  acceptMs,
});

export const explainLossBody: z.ZodType<ExplainLossBody> = z.strictObject({ key, owner, token });

export const claimBody: z.ZodType<ClaimBody> = z.strictObject({ resource: checkedKey('resource'), token });

export const listQuery: z.ZodType<ListQuery> = z
  .strictObject({
    prefix: z.string().max(limits.keyBytesMax).exactOptional(),
    cursor: cursorOf('leases', z.tuple([key, token])).exactOptional(),
    limit: pageLimit,
  })
  .refine(({ prefix = '', cursor }) => cursor === undefined || cursor[0].startsWith(prefix), {
    path: ['cursor'],
    message: 'is a cursor of this list with another prefix',
  });

export const noticesQuery: z.ZodType<NoticesQuery> = z.strictObject({ process: owner });

export interface GrantReply {
  readonly granted: true;
  readonly key: string;
  readonly owner: string;
  /** The fencing number. */
  readonly token: number;
  /** What renew and release name. */
  readonly lastToken: number;
  /** Counted from when you sent the request. */
  readonly expiresInMs: number;
}

export interface GrantAllReply {
  readonly granted: true;
  readonly owner: string;
  readonly tokens: readonly { readonly key: string; readonly token: number; readonly lastToken: number }[];
  readonly expiresInMs: number;
}

/** Beside the fields of a problem, in a 409 to acquire. */
export interface RefusalFields {
  readonly key: string;
  readonly owner: string;
  /** The record's last token; only a notice above it is news. Absent for several keys. */
  readonly token?: number;
  readonly holder?: string;
  readonly retryAfterMs?: number;
  readonly inLine?: boolean;
}

export type RenewOneReply = { readonly renewed: true; readonly expiresInMs: number };
export type RenewManyReply = { readonly renewed: readonly boolean[] };
export type ReleaseReply = { readonly released: boolean };
export type LeaveReply = { readonly left: boolean };
export type ExplainLossReply = { readonly cause: LossCause };
export type ListReply = PagedReply & { readonly leases: readonly LeaseInfo[] };
export type CapabilitiesReply = { readonly store: string; readonly capabilities: LeaseCapabilities };
/** One line of the notice stream: first `ready`, then notices, and `alive` in between. */
export type NoticeLine = Notice | { readonly kind: 'ready' } | { readonly kind: 'alive' };

function checkedKey(what: string): z.ZodType<string> {
  return z.string().superRefine((value, context) => {
    try {
      checkKey(value, what);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'is not a key' });
    }
  });
}
