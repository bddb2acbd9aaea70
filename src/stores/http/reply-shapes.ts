/** What the store believes of a server's replies. Unknown fields are ignored, so that a newer server is understood. */
import { z } from 'zod';
import { LeaseError } from '../../core/errors.ts';
import type {
  AcquireAllReply,
  AcquireReply,
  BreakReply,
  ClaimReply,
  LeaseCapabilities,
  LeaseInfo,
  LossCause,
  Notice,
} from '../../core/ports.ts';

const token = z.int();
const numbers = { token, lastToken: token };
const share = z.object({ weight: z.int(), capacity: z.int() });

export const acquireReply: z.ZodType<AcquireReply> = z.union([
  z.object({ granted: z.literal(true), ...numbers }),
  z
    .object({
      token,
      holder: z.string().exactOptional(),
      retryAfterMs: z.number().exactOptional(),
      inLine: z.boolean(),
    })
    .transform(({ retryAfterMs, ...rest }) => ({
      granted: false as const,
      ...rest,
      ...(retryAfterMs !== undefined && { remainingMs: retryAfterMs }),
    })),
]);

export const acquireAllReply: z.ZodType<AcquireAllReply> = z.union([
  z.object({ granted: z.literal(true), tokens: z.array(z.object({ key: z.string(), ...numbers })) }),
  z
    .object({
      key: z.string(),
      holder: z.string().exactOptional(),
      retryAfterMs: z.number().exactOptional(),
    })
    .transform(({ retryAfterMs, ...rest }) => ({
      granted: false as const,
      ...rest,
      ...(retryAfterMs !== undefined && { remainingMs: retryAfterMs }),
    })),
]);

export const renewReply: z.ZodType<{ readonly renewed: readonly boolean[] }> = z.object({
  renewed: z.array(z.boolean()),
});
export const releaseReply: z.ZodType<{ readonly released: boolean }> = z.object({ released: z.boolean() });
export const leaveReply: z.ZodType<{ readonly left: boolean }> = z.object({ left: z.boolean() });
export const claimReply: z.ZodType<ClaimReply> = z.object({ claimed: z.boolean(), token });

export const breakReply: z.ZodType<BreakReply> = z.union([
  z.object({ broken: z.literal(true), holders: z.array(z.string()), token }),
  z.object({ broken: z.literal(false) }),
]);

export const explainLossReply: z.ZodType<{ readonly cause: LossCause }> = z.object({
  cause: z.union([
    z.object({ kind: z.literal('broken'), by: z.string(), reason: z.string() }),
    z.object({ kind: z.literal('taken'), holder: z.string() }),
    z.object({ kind: z.literal('expired') }),
  ]),
});

export const listReply: z.ZodType<{ readonly leases: readonly LeaseInfo[] }> = z.object({
  leases: z.array(
    z.object({
      key: z.string(),
      owner: z.string(),
      token,
      remainingMs: z.number(),
      waiting: z.int(),
      share: share.exactOptional(),
    }),
  ),
});

const capability = z.union([z.literal(true), z.object({ no: z.string() })]);

export const capabilitiesReply: z.ZodType<{ readonly store: string; readonly capabilities: LeaseCapabilities }> =
  z.object({
    store: z.string(),
    capabilities: z.object({
      line: capability,
      shared: capability,
      counted: capability,
      several: capability,
      fences: capability,
      durable: capability,
      network: capability,
    }),
  });

export const noticeLine: z.ZodType<Notice | { readonly kind: 'ready' } | { readonly kind: 'alive' }> = z.union([
  z.object({ kind: z.literal('granted'), key: z.string(), owner: z.string(), ...numbers, acceptMs: z.number() }),
  z.object({ kind: z.literal('broken'), key: z.string(), owner: z.string() }),
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('alive') }),
]);

/** The reply in its shape, or an error: whatever answered is not a server we understand. */
export function readReply<T>(schema: z.ZodType<T>, json: unknown, base: string): T {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new LeaseError(`What answered at ${base} is not a Kannuki server, or one of another version.`, {
    code: 'store-refused',
    cause: parsed.error,
  });
}
