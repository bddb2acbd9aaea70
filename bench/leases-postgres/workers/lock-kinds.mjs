// The locks that take turns: each opens what it needs and gives `lock(key, work)`.
export const ideal = 'ideal: the same sections back to back';

export const kinds = {
  [ideal]: {
    processes: [1],
    async open() {
      let last = Promise.resolve();
      return (_key, work) => {
        last = last.then(work);
        return last;
      };
    },
  },
  'limit: one bare update + notify, no lease at all': {
    processes: [8],
    /** A ring: whoever is told works, then tells the next with the one statement that any hand-over needs. */
    ring: true,
  },
  kannuki: {
    processes: [1, 8],
    async open(url) {
      const { createLeases } = await import('../../../dist/index.js');
      const { postgresStore } = await import('../../../dist/stores/postgres/index.js');
      const leases = createLeases({ store: postgresStore({ connectionString: url }) });
      return (key, work) => leases.withLease(key, {}, work);
    },
  },
  '@verrou/core 0.5.2 on knex (polls every 250 ms)': {
    processes: [8],
    async open(url) {
      const { Verrou } = await import('@verrou/core');
      const { knexStore } = await import('@verrou/core/drivers/knex');
      const { default: knex } = await import('knex');
      const connection = knex({ client: 'pg', connection: url, pool: { min: 1, max: 2 } });
      const verrou = new Verrou({
        default: 'pg',
        stores: { pg: { driver: knexStore({ connection, tableName: 'verrou' }) } },
      });
      return async (key, work) => {
        const lock = verrou.createLock(key, '30s');
        if (!(await lock.acquire())) throw new Error('not granted');
        try {
          return await work();
        } finally {
          await lock.release();
        }
      };
    },
  },
  'advisory-lock 2.0.0 (blocking session lock)': {
    processes: [8],
    async open(url) {
      const { default: advisoryLock } = await import('advisory-lock');
      const mutexes = new Map();
      const mutexOf = (advisoryLock.default ?? advisoryLock)(url);
      return (key, work) => {
        if (!mutexes.has(key)) mutexes.set(key, mutexOf(key));
        return mutexes.get(key).withLock(work);
      };
    },
  },
};
