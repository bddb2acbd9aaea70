/** Tokens over the wire. */
import { z } from 'zod';
import { roles } from '../authenticate.ts';
import { httpLimits } from '../http-limits.ts';
import type { ApiTokenInfo } from './create-api-tokens.ts';

const yearMs = 31_536_000_000;

export const createTokenBody = z.strictObject({
  name: z.string().trim().min(1).max(64),
  role: z.enum(roles),
  /** Absent: until it is revoked. */
  lastsMs: z
    .number()
    .min(60_000)
    .max(10 * yearMs)
    .exactOptional(),
});

export const revokeTokenBody = z.strictObject({
  why: z.string().trim().min(1).max(httpLimits.reasonMax).exactOptional(),
});

export const tokensQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1_000).exactOptional(),
  /** The last one of the page before. */
  beforeId: z
    .string()
    .regex(/^[0-9a-f]{12}$/, 'is not the id of a token')
    .exactOptional(),
});

export interface CreateTokenReply extends ApiTokenInfo {
  /** Told here and never again. */
  readonly token: string;
}

export type TokensReply = { readonly tokens: readonly ApiTokenInfo[] };
