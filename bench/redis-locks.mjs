/**
 * The locks that are compared on Redis, each with the settings that suit it best: those that poll do so every 10 ms
 * (the default of redis-semaphore; the others' are 100 to 250 ms), and none gives up. `open(port)` connects and gives
 *   cycle(key)              take a free lock and give it back
 *   turn(key, work)         wait for the lock, work, give it back
 *   hold(key, ttlMs, work)  the same with renewal; work gets { aborted() }: how the library says that the lock is lost
 */
const pollMs = 10;

/** From which Node on it runs; undefined = any. */
export const newestOnly = 'redlock-universal 0.8.5';

export const redisLocks = {
  'kannuki on ioredis': {
    async open(port) {
      const { Redis } = await import('ioredis');
      return openKannuki(new Redis(port, '127.0.0.1'));
    },
  },
  'kannuki on redis': {
    async open(port) {
      const { createClient } = await import('redis');
      const client = createClient({ url: `redis://127.0.0.1:${port}` });
      client.on('error', () => {});
      return openKannuki(await client.connect());
    },
  },
  'redis-semaphore 5.8.0': {
    async open(port) {
      const { Mutex } = await import('redis-semaphore');
      const client = await openIoRedis(port);
      const options = { acquireTimeout: 600_000, retryInterval: pollMs, lockTimeout: 10_000 };
      const held = async (mutex, work) => {
        await mutex.acquire();
        try {
          return await work();
        } finally {
          await mutex.release();
        }
      };
      return {
        async cycle(key) {
          const mutex = new Mutex(client, key, options);
          if (!(await mutex.tryAcquire())) throw new Error('A free lock was not granted.');
          await mutex.release();
        },
        turn: (key, work) => held(new Mutex(client, key, options), work),
        hold(key, ttlMs, work) {
          let lost = false;
          const onLockLost = () => {
            lost = true;
          };
          const mutex = new Mutex(client, key, { ...options, lockTimeout: ttlMs, onLockLost });
          return held(mutex, () => work({ aborted: () => lost || !mutex.isAcquired }));
        },
      };
    },
  },
  'redlock 5.0.0-beta.2': {
    async open(port) {
      const { default: Redlock } = await import('redlock');
      const client = await openIoRedis(port);
      const options = { retryCount: -1, retryDelay: pollMs, retryJitter: pollMs / 2, automaticExtensionThreshold: 500 };
      const redlock = new Redlock([client], options);
      redlock.on('error', () => {});
      return {
        async cycle(key) {
          const lock = await redlock.acquire([key], 10_000, { retryCount: 0 });
          await lock.release();
        },
        turn: (key, work) => redlock.using([key], 10_000, work),
        hold: (key, ttlMs, work) =>
          redlock.using([key], ttlMs, { automaticExtensionThreshold: ttlMs / 2 }, (signal) =>
            work({ aborted: () => signal.aborted }),
          ),
      };
    },
  },
  [newestOnly]: {
    async open(port) {
      const { createLock, IoredisAdapter } = await import('redlock-universal');
      const adapter = new IoredisAdapter(await openIoRedis(port));
      const common = { adapter, ttl: 10_000, performance: 'lean' };
      const waiting = { ...common, retryAttempts: 60_000, retryDelay: pollMs };
      return {
        async cycle(key) {
          const lock = createLock({ ...common, key, retryAttempts: 0 });
          await lock.release(await lock.acquire());
        },
        turn: (key, work) => createLock({ ...waiting, key }).using(work),
        hold: (key, ttlMs, work) =>
          createLock({ ...waiting, key, ttl: ttlMs }).using((signal) => work({ aborted: () => signal.aborted })),
      };
    },
  },
  'simple-redis-mutex 3.0.0': {
    async open(port) {
      const { lock, tryLock } = await import('simple-redis-mutex');
      const { createClient } = await import('redis');
      const client = createClient({ url: `redis://127.0.0.1:${port}` });
      client.on('error', () => {});
      await client.connect();
      const held = async (release, work) => {
        try {
          return await work();
        } finally {
          await release();
        }
      };
      return {
        async cycle(key) {
          const [granted, release] = await tryLock(client, key);
          if (!granted) throw new Error('A free lock was not granted.');
          await release();
        },
        // It is told of a release; polling is for holders that died.
        turn: async (key, work) => held(await lock(client, key, { pollingInterval: 100 }), work),
        hold: async (key, ttlMs, work) =>
          // It neither renews nor says that a lock was lost.
          held(await lock(client, key, { timeout: ttlMs }), () => work({ aborted: () => false })),
      };
    },
  },
  '@verrou/core 0.5.2': {
    async open(port) {
      const { Verrou } = await import('@verrou/core');
      const { redisStore } = await import('@verrou/core/drivers/redis');
      const connection = await openIoRedis(port);
      const verrou = new Verrou({ default: 'redis', stores: { redis: { driver: redisStore({ connection }) } } });
      const retry = { attempts: 60_000, delay: pollMs, timeout: 600_000 };
      const held = async (lock, work) => {
        if (!(await lock.acquire({ retry }))) throw new Error('The lock was not granted.');
        try {
          return await work();
        } finally {
          await lock.release();
        }
      };
      return {
        async cycle(key) {
          const lock = verrou.createLock(key, 10_000);
          if (!(await lock.acquireImmediately())) throw new Error('A free lock was not granted.');
          await lock.release();
        },
        turn: (key, work) => held(verrou.createLock(key, 10_000), work),
        hold(key, ttlMs, work) {
          // It does not renew by itself; `isExpired` compares clocks.
          const lock = verrou.createLock(key, ttlMs);
          return held(lock, () => work({ aborted: () => lock.isExpired() }));
        },
      };
    },
  },
};

/** What any lock on one server needs at least: one command to take it, one script to give it back. No token, no line. */
export const bareRedis = {
  async open(port) {
    const client = await openIoRedis(port);
    const text = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`;
    const sha = await client.script('LOAD', text);
    let n = 0;
    return {
      async cycle(key) {
        const owner = `bench.${++n}`;
        if ((await client.set(key, owner, 'PX', 10_000, 'NX')) !== 'OK') throw new Error('Not set.');
        if ((await client.evalsha(sha, 1, key, owner)) !== 1) throw new Error('Not deleted.');
      },
    };
  },
};

async function openIoRedis(port) {
  const { Redis } = await import('ioredis');
  const client = new Redis(port, '127.0.0.1');
  client.on('error', () => {});
  return client;
}

async function openKannuki(client) {
  const { createLeases } = await import('../dist/index.js');
  const { redisStore } = await import('../dist/stores/redis/index.js');
  client.on('error', () => {});
  const leases = createLeases({ store: redisStore({ client }) });
  return {
    async cycle(key) {
      const outcome = await leases.tryAcquire(key);
      if (!outcome.acquired || !(await outcome.lease.release())) throw new Error('A free lease was not granted.');
    },
    turn: (key, work) => leases.withLease(key, {}, work),
    hold: (key, ttlMs, work) =>
      leases.withLease(key, { ttlMs }, (_lease, signal) => work({ aborted: () => signal.aborted })),
  };
}
