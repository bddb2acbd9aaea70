import type { SqlResult } from '../../core/ports.ts';

/** A result with the server's word for what was done: `COMMIT` may have become `ROLLBACK`. */
export type DriverResult<Row> = SqlResult<Row> & { readonly command: string };
