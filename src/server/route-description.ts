import type { z } from 'zod';

/** A stream has no single answer: its type, and one of its lines or messages in words. */
export interface StreamAnswer {
  readonly contentType: string;
  readonly of: string;
}

/** What the reference says of a route. The schemas are those that requests are checked by. */
export interface RouteDescription {
  /** One sentence. */
  readonly summary: string;
  /** Checks the JSON body; absent: none is read. */
  readonly body?: z.ZodType;
  /** The body may be left out. */
  readonly bodyOptional?: true;
  /** Checks the query; absent: none is read. */
  readonly query?: z.ZodType;
  /** Of a success. */
  readonly answer: StreamAnswer | z.ZodType;
  /** Statuses of a success. @default 200 */
  readonly statuses?: readonly number[];
  /** Of a POST whose answers are not kept under an `Idempotency-Key`: why not, and what stands in for it. */
  readonly once?: string;
  /** `code`s of the problems that belong to this route in particular. */
  readonly problems?: readonly string[];
}
