/** Tokens over the wire. */
import { z } from 'zod';
import { roles } from '../authenticate.ts';
import { httpLimits } from '../http-limits.ts';
import { cursorOf } from '../paging/page-cursor.ts';
import { type PagedReply, pageLimit } from '../paging/page-query.ts';
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
  cursor: cursorOf('tokens', z.tuple([z.string().regex(/^[0-9a-f]{12}$/)])).exactOptional(),
  limit: pageLimit,
});

export interface CreateTokenReply extends ApiTokenInfo {
  /** Told here and never again. */
  readonly token: string;
}

export type TokensReply = PagedReply & { readonly tokens: readonly ApiTokenInfo[] };
