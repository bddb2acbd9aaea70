export { type HttpStoreOptions, httpStore, openHttpStore } from './http-store.ts';
