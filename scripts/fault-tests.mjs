/** The fault tests that have a long form: which test, and how many rounds the long form has. */
export const faultTests = {
  clocks: {
    title: 'Processes whose wall clocks are wrong by hours contend for one lease',
    project: 'processes',
    file: 'test/process/wrong-clocks.test.ts',
    variable: 'KANNUKI_FAULTS_CLOCKS',
    rounds: 200,
  },
  contention: {
    title: 'Eight processes contend for one lease, on PostgreSQL and on files',
    project: 'processes',
    file: 'test/process/contention.test.ts',
    variable: 'KANNUKI_FAULTS_CONTENTION',
    rounds: 1_000,
  },
  'hung-store': {
    title: 'PostgreSQL is frozen for 4 × TTL while a lease is held',
    project: 'processes',
    file: 'test/process/hung-store.test.ts',
    variable: 'KANNUKI_FAULTS_HUNG_STORE',
    rounds: 10,
  },
  'kill-and-stop': {
    title: 'Holders are killed, or stopped for 1.5 to 5 × TTL; their late writes must be refused',
    project: 'processes',
    file: 'test/process/kill-and-stop.test.ts',
    variable: 'KANNUKI_FAULTS_KILL_AND_STOP',
    rounds: 50,
  },
  'pglite-kill': {
    title: 'A PGlite writer is killed with -9; nothing acknowledged may be lost',
    project: 'processes',
    file: 'test/process/pglite-directory.test.ts',
    variable: 'KANNUKI_FAULTS_PGLITE',
    rounds: 20,
  },
  pooler: {
    title: 'Eight clients contend through PgBouncer in transaction mode',
    project: 'processes',
    file: 'test/process/pooler.test.ts',
    variable: 'KANNUKI_FAULTS_POOLER',
    rounds: 150,
  },
  simulation: {
    title: 'Seeded histories of the real keeper on virtual time',
    project: 'simulation',
    file: 'test/simulation/lease-simulation.test.ts',
    variable: 'KANNUKI_SIMULATION_SEEDS',
    seed: 'KANNUKI_SIMULATION_FIRST_SEED',
    rounds: 100_000,
  },
};
