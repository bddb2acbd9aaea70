/** What the routes of tokens answer. */
import { z } from 'zod';
import type { ApiTokenInfo } from '../access/create-api-tokens.ts';
import type { CreateTokenReply, TokensReply } from '../access/token-contract.ts';
import { roles } from '../authenticate.ts';
import { nextCursor } from '../paging/page-query.ts';

const info = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  createdAtMs: z.number(),
  createdBy: z.string(),
  expiresAtMs: z.number().nullable(),
  lastUsedAtMs: z.number().nullable(),
  revokedAtMs: z.number().nullable(),
});

export const tokenAnswer: z.ZodType<ApiTokenInfo> = info;

export const tokensAnswer: z.ZodType<TokensReply> = z.object({ tokens: z.array(info), cursor: nextCursor });

export const createTokenAnswer: z.ZodType<CreateTokenReply> = info.extend({
  token: z.string().meta({ description: 'Told here and never again.' }),
});
