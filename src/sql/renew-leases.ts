/**
 * Renews any number of leases of one process. Exclusive ones: one statement. For many it is one that passes over what
 * somebody else is at just now and never waits; only what it left out is asked for again by the one that waits in key
 * order. Whether a lease is lost is always said by the latter.
 */
import type { RenewRequest } from '../core/ports.ts';
import type { LeaseStatements, NamedStatement } from './lease-statements.ts';

/** Runs a statement where renewals run. */
export type RunRenewal = <Row>(
  statement: NamedStatement,
  values: readonly string[],
) => Promise<{ readonly rows: readonly Row[] }>;

/** From this many on the first statement pays for the second that it may need. */
export const manyLeases = 100;

/** @returns for each request whether it was renewed; the others are lost */
export async function renewLeases(
  run: RunRenewal,
  { renew, renewShares, renewUnlocked }: Pick<LeaseStatements, 'renew' | 'renewShares' | 'renewUnlocked'>,
  requests: readonly RenewRequest[],
): Promise<readonly boolean[]> {
  const renewed = requests.map(() => false);
  const placesOf = (wanted: (request: RenewRequest) => boolean): readonly number[] =>
    requests.flatMap((request, i) => (wanted(request) && !renewed[i] ? i : []));
  const isExclusive = ({ share }: RenewRequest): boolean => share === undefined;
  /** `n` counts from 1. */
  const note = (places: readonly number[], numbers: readonly number[]): void => {
    for (const n of numbers) {
      const i = places[n - 1];
      if (i !== undefined) renewed[i] = true;
    }
  };
  const renewBy = async (statement: NamedStatement, places: readonly number[]): Promise<void> => {
    if (places.length === 0) return;
    const { rows } = await run<{ n: number }>(statement, valuesOf(requests, places));
    note(
      places,
      rows.map(({ n }) => n),
    );
  };

  const exclusives = placesOf(isExclusive);
  if (exclusives.length >= manyLeases) {
    const { rows } = await run<{ renewed: readonly number[] | null }>(renewUnlocked, valuesOf(requests, exclusives));
    note(exclusives, rows[0]?.renewed ?? exclusives.map((_, i) => i + 1));
  }
  await renewBy(renew, placesOf(isExclusive));
  await renewBy(
    renewShares,
    placesOf((request) => !isExclusive(request)),
  );
  return renewed;
}

function valuesOf(requests: readonly RenewRequest[], places: readonly number[]): readonly string[] {
  const some = places.flatMap((i) => requests[i] ?? []);
  return [
    arrayText(some, (request) => JSON.stringify(request.key)),
    arrayText(some, (request) => JSON.stringify(request.owner)),
    arrayText(some, (request) => request.token),
    arrayText(some, (request) => request.ttlMs),
  ];
}

/**
 * An array as PostgreSQL writes it, made here because a heartbeat may renew thousands: drivers go element by element.
 * Inside double quotes JSON and PostgreSQL escape alike what a key or a grant id can contain.
 */
function arrayText(requests: readonly RenewRequest[], element: (request: RenewRequest) => string | number): string {
  return `{${requests.map(element).join(',')}}`;
}
