export { type GuardedEvalOptions, type GuardedReply, guardedEval, type HeldLease } from './guarded-eval.ts';
export type { IoRedisClient, NodeRedisClient, RedisClient } from './redis-client.ts';
export { type RedisStoreOptions, redisStore } from './redis-store.ts';
