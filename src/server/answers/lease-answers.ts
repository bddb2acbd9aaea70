/** What the routes of leases answer. */
import { z } from 'zod';
import type { BreakReply, Capability, ClaimReply } from '../../core/ports.ts';
import type {
  CapabilitiesReply,
  ExplainLossReply,
  GrantAllReply,
  GrantReply,
  LeaveReply,
  ListReply,
  ReleaseReply,
  RenewManyReply,
  RenewOneReply,
} from '../contract.ts';
import { nextCursor } from '../paging/page-query.ts';

const token = z.int().min(0);
const share = z.object({ weight: z.number(), capacity: z.number() });
const capability: z.ZodType<Capability> = z.union([z.literal(true), z.object({ no: z.string() })]);

export const grantAnswer: z.ZodType<GrantReply> = z.object({
  granted: z.literal(true),
  key: z.string(),
  owner: z.string(),
  token: token.meta({ description: 'The fencing number: send it along with every write.' }),
  lastToken: token.meta({ description: 'What renew and release name.' }),
  expiresInMs: z.number().meta({ description: 'Counted from when the request was sent.' }),
});

export const grantAllAnswer: z.ZodType<GrantAllReply> = z.object({
  granted: z.literal(true),
  owner: z.string(),
  tokens: z.array(z.object({ key: z.string(), token, lastToken: token })),
  expiresInMs: z.number(),
});

export const renewAnswer: z.ZodType<RenewManyReply | RenewOneReply> = z.union([
  z.object({ renewed: z.literal(true), expiresInMs: z.number() }),
  z.object({ renewed: z.array(z.boolean()) }),
]);

export const releaseAnswer: z.ZodType<ReleaseReply> = z.object({ released: z.boolean() });

export const leaveAnswer: z.ZodType<LeaveReply> = z.object({ left: z.boolean() });

export const breakAnswer: z.ZodType<BreakReply> = z.union([
  z.object({ broken: z.literal(true), holders: z.array(z.string()), token }),
  z.object({ broken: z.literal(false) }),
]);

export const explainLossAnswer: z.ZodType<ExplainLossReply> = z.object({
  cause: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('broken'), by: z.string(), reason: z.string() }),
    z.object({ kind: z.literal('taken'), holder: z.string() }),
    z.object({ kind: z.literal('expired') }),
  ]),
});

export const claimAnswer: z.ZodType<ClaimReply> = z.object({
  claimed: z.boolean(),
  token: token.meta({ description: 'What the fence stands at now.' }),
});

export const listLeasesAnswer: z.ZodType<ListReply> = z.object({
  leases: z.array(
    z.object({
      key: z.string(),
      owner: z.string(),
      token,
      remainingMs: z.number(),
      share: share.exactOptional(),
      waiting: z.int().min(0),
    }),
  ),
  cursor: nextCursor,
});

export const capabilitiesAnswer: z.ZodType<CapabilitiesReply> = z.object({
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
