/** `kannuki tokens`: who may call the server with what. A client of it; needs an admin's token. */
import type { Role } from '../../server/index.ts';
import { type ApiOptions, createApiClient } from '../api-client.ts';
import type { CliContext } from '../cli-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatTime } from '../format-time.ts';
import { readDuration } from '../options.ts';
import { type ListOptions, readRows } from '../read-rows.ts';
import { tableLines } from '../table-lines.ts';

export interface TokensOptions extends ApiOptions {
  readonly json?: boolean;
}

export interface ListTokensOptions extends TokensOptions, ListOptions {}

export interface CreateTokenOptions extends TokensOptions {
  readonly role: Role;
  readonly lasts?: string;
}

export interface RevokeTokenOptions extends TokensOptions {
  readonly why?: string;
}

const bounds = { minMs: 60_000, maxMs: 315_360_000_000 };

/** The token alone goes to standard output, so that it can be piped into a secret store. */
export async function createToken(context: CliContext, name: string, options: CreateTokenOptions): Promise<number> {
  const { role, lasts } = options;
  const lastsMs = lasts === undefined ? undefined : readDuration('--lasts', lasts, bounds, context.messages);
  const body = { name, role, ...(lastsMs !== undefined && { lastsMs }) };
  const reply = await createApiClient(context, options).call('POST /api/v1/tokens', { body });
  if (options.json) {
    context.print(JSON.stringify(reply));
    return exitCodes.ok;
  }
  context.print(reply.token);
  context.say(context.messages.tokenMade(reply.id));
  return exitCodes.ok;
}

export async function listTokens(context: CliContext, options: ListTokensOptions): Promise<number> {
  const client = createApiClient(context, options);
  const tokens = await readRows(context, client, options, 'GET /api/v1/tokens', {}, (page) => page.tokens);
  if (options.json) {
    context.print(JSON.stringify(tokens));
    return exitCodes.ok;
  }
  if (tokens.length === 0) {
    context.say(context.messages.noTokens);
    return exitCodes.ok;
  }
  const time = (ms: number | null): string => (ms === null ? '-' : formatTime(ms));
  const rows = tokens.map((token) => [
    token.id,
    token.name,
    token.role,
    time(token.createdAtMs),
    time(token.lastUsedAtMs),
    token.revokedAtMs === null ? time(token.expiresAtMs) : context.messages.tokenRevoked,
  ]);
  for (const line of tableLines(['ID', 'NAME', 'ROLE', 'CREATED', 'LAST USED', 'ENDS'], rows)) context.print(line);
  return exitCodes.ok;
}

export async function revokeToken(context: CliContext, id: string, options: RevokeTokenOptions): Promise<number> {
  const body = options.why === undefined ? {} : { why: options.why };
  const client = createApiClient(context, options);
  const reply = await client.call('POST /api/v1/tokens/:id/revoke', { params: { id }, body });
  if (options.json) context.print(JSON.stringify(reply));
  else context.say(context.messages.revokedToken(reply.name, reply.id));
  return exitCodes.ok;
}
