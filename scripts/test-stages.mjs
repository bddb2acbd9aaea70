/**
 * The stages of `npm test`, in the order of the report: what fails soonest and cheapest comes first. `waits` marks those that use less
 * than half of two cores: each runs beside one that computes. A budget is what the stage should take alone on two
 * quiet cores; it is printed, and a stage that takes twelve times as long is ended.
 */
export const stages = [
  {
    name: 'checks',
    budgetSeconds: 60,
    first: true,
    about: 'build, lint, types, dead code, package, tidy',
    project: 'tidy',
    folder: 'test/tidy',
  },
  {
    name: 'models',
    budgetSeconds: 30,
    about: 'the protocols, explored exhaustively',
    project: 'models',
    folder: 'test/models',
  },
  { name: 'unit', budgetSeconds: 180, about: 'one file at a time', project: 'unit', folder: 'src' },
  {
    name: 'access',
    budgetSeconds: 40,
    about: 'every route and every caller, fuzzed; the audit',
    project: 'access',
    folder: 'test/access',
  },
  {
    name: 'conformance',
    budgetSeconds: 110,
    waits: true,
    about: 'one suite, every store, real servers',
    project: 'conformance',
    folder: 'test/conformance',
  },
  {
    name: 'linearizability',
    budgetSeconds: 30,
    waits: true,
    about: 'recorded histories, judged',
    project: 'linearizability',
    folder: 'test/linearizability',
  },
  {
    name: 'simulation',
    budgetSeconds: 60,
    about: 'the real engine on virtual time, seeded',
    project: 'simulation',
    folder: 'test/simulation',
  },
  {
    name: 'reservations',
    budgetSeconds: 110,
    // Much of it waits for the database and for time-outs of real clients.
    workers: 3,
    about: 'slots, money and renders on real databases and virtual time',
    project: 'reservations',
    folder: 'test/reservations',
  },
  {
    name: 'jobs',
    budgetSeconds: 70,
    waits: true,
    about: 'leaders and workers against real servers',
    project: 'jobs',
    folder: 'test/jobs',
  },
  {
    name: 'processes',
    budgetSeconds: 180,
    waits: true,
    // Most of it waits for leases to end.
    workers: 3,
    about: 'kill, pause, contend',
    project: 'processes',
    folder: 'test/process',
  },
  {
    name: 'browser',
    budgetSeconds: 120,
    waits: true,
    about: 'real tabs: race, crash, freeze, steal',
    project: 'browser',
    folder: 'test/browser',
  },
  {
    name: 'web',
    budgetSeconds: 170,
    waits: true,
    about: 'the pages on the real server, in a real browser',
    project: 'web',
    folder: 'test/web',
  },
  {
    name: 'package',
    budgetSeconds: 60,
    waits: true,
    about: 'pack, install, import, serve',
    project: 'package',
    folder: 'test/package',
  },
];

export const patience = 12;

/** The stages chosen by `--only a,b`, or all. Throws a sentence for a stage that does not exist. */
export function chooseStages(only) {
  if (only === undefined) return stages;
  const names = only.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !stages.some((stage) => stage.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `There is no stage "${unknown.join('", "')}". Stages: ${stages.map((stage) => stage.name).join(', ')}.`,
    );
  }
  return stages.filter((stage) => names.includes(stage.name));
}
