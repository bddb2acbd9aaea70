export { ClientError, type ClientErrorCode, type ClientErrorOptions } from './client-error.ts';
export type { AcquireRequestBody, ClientLeases, Grant, HeldLease, NotGranted } from './client-leases.ts';
export { type Client, createClient } from './create-client.ts';
export type { ClientOptions } from './create-sender.ts';
export type { ChangeEvent, FollowOptions } from './follow-changes.ts';
export type {
  ApiAnswer,
  ApiBody,
  ApiParams,
  ApiQuery,
  ApiRequest,
  ApiRoute,
  CallOptions,
  PagedRoute,
  QueryValue,
} from './route-call.ts';
