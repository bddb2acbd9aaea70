import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Role } from '../../../src/server/index.ts';
import { callApi } from './call-api.ts';

export interface SessionReply {
  readonly name: string;
  readonly role: Role;
}

/** For whoever asks before anything is drawn. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => callApi<SessionReply>('GET', '/api/v1/session'),
  staleTime: 60_000,
});

/** Who is signed in. */
export function useSession() {
  return useQuery(sessionQuery);
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

export function mayAct(session: SessionReply | undefined, needed: Role): boolean {
  return session !== undefined && ranks[session.role] >= ranks[needed];
}
