/** The types of every request, taken from the server's own table: a route that changes changes them. */
import type { z } from 'zod';
import type { routeDescriptions } from '../server/route-descriptions.ts';

type Descriptions = typeof routeDescriptions;

/** `POST /api/v1/leases/acquire`, and so on. */
export type ApiRoute = {
  // Streams have no single answer.
  [Name in keyof Descriptions]: Descriptions[Name] extends { readonly answer: z.ZodType } ? Name : never;
}[keyof Descriptions];

export type ApiAnswer<Name extends ApiRoute> = Descriptions[Name] extends { readonly answer: z.ZodType<infer Answer> }
  ? Answer
  : never;

export type ApiBody<Name extends ApiRoute> = Descriptions[Name] extends { readonly body: z.ZodType<infer Body> }
  ? Body
  : never;

export type ApiQuery<Name extends ApiRoute> = Descriptions[Name] extends { readonly query: z.ZodType<infer Query> }
  ? { readonly [Field in keyof Query]?: QueryValue | undefined }
  : never;

/** Several are joined by commas. */
export type QueryValue = boolean | number | string | readonly (number | string)[];

/** A list: it is read page after page. */
export type PagedRoute = {
  [Name in ApiRoute]: 'cursor' extends keyof ApiAnswer<Name> ? (Name extends `GET ${string}` ? Name : never) : never;
}[ApiRoute];

export type ApiParams<Name extends string> = Name extends `${infer Before}/:${infer Param}/${infer Rest}`
  ? { readonly [Key in Param]: number | string } & ApiParams<`${Before}/${Rest}`>
  : Name extends `${string}/:${infer Param}`
    ? { readonly [Key in Param]: number | string }
    : unknown;

export interface CallOptions {
  /** Sent as `Idempotency-Key`: repeated with the same request, the same answer. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** @default the client's */
  readonly timeoutMs?: number;
}

export type ApiRequest<Name extends ApiRoute> = CallOptions &
  (unknown extends ApiParams<Name> ? object : { readonly params: ApiParams<Name> }) &
  ([ApiQuery<Name>] extends [never] ? object : { readonly query?: ApiQuery<Name> }) &
  ([ApiBody<Name>] extends [never]
    ? object
    : Descriptions[Name] extends { readonly bodyOptional: true }
      ? { readonly body?: ApiBody<Name> }
      : { readonly body: ApiBody<Name> });
