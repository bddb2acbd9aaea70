import type { Call } from '../call.ts';
import type { ApiTokens } from './create-api-tokens.ts';

export function apiTokensOf({ services }: Call): ApiTokens {
  const { apiTokens } = services.systems;
  if (!apiTokens) throw new Error('A route of tokens is served without them.');
  return apiTokens;
}
