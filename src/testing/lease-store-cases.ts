/**
 * The conformance suite, as data: what every store must do, whoever wrote it. A runner goes through the list, leaves
 * out what the store declares it cannot do (and prints the declared reason), and calls `run` with a context of its
 * own. Cases share nothing but the store, so those without `uses` may run at the same time.
 */
import type { LeaseStoreCase } from './case-context.ts';
import { breakCases } from './cases/break.ts';
import { concurrencyCases } from './cases/concurrency.ts';
import { exclusiveCases } from './cases/exclusive.ts';
import { expiryCases } from './cases/expiry.ts';
import { fenceCases } from './cases/fences.ts';
import { lineCases } from './cases/line.ts';
import { lineLimitCases } from './cases/line-limits.ts';
import { listingCases } from './cases/listing.ts';
import { renewalCases } from './cases/renewal.ts';
import { severalCases } from './cases/several.ts';
import { shareCases } from './cases/shares.ts';
import { tokenCases } from './cases/tokens.ts';
import { unusualKeyCases } from './cases/unusual-keys.ts';

export const leaseStoreCases: readonly LeaseStoreCase[] = [
  ...exclusiveCases,
  ...renewalCases,
  ...expiryCases,
  ...tokenCases,
  ...concurrencyCases,
  ...lineCases,
  ...lineLimitCases,
  ...shareCases,
  ...severalCases,
  ...breakCases,
  ...fenceCases,
  ...listingCases,
  ...unusualKeyCases,
];
