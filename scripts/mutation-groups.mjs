/**
 * What `npm run mutation` changes, and which tests may notice it. Judges are quick and start no server: each of
 * thousands of mutants runs those that reach it. What only a database can tell is left out, with its reason.
 */
const noTests = '!src/**/*.test.ts';

export const mutationGroups = {
  core: {
    mutate: ['src/core/**/*.ts', noTests],
    tests: ['src/core/**/*.test.ts'],
  },
  engine: {
    mutate: [
      'src/engine/**/*.ts',
      noTests,
      // Statements: their meaning is PostgreSQL's, and the tests that run them start one.
      '!src/engine/run-once/statements/**',
      '!src/engine/run-once/run-once-migrations.ts',
    ],
    tests: [
      'src/engine/{lease,lease-keeper,migration-steps}.test.ts',
      'src/engine/guarded-update/guarded-statements.test.ts',
      'src/engine/keeper/*.test.ts',
      'src/engine/run-once/{answer-text,canonical-json,claim-signals,run-once-rules}.test.ts',
      'test/simulation/few-seeds.test.ts',
    ],
  },
  analysis: {
    mutate: ['src/systems/analysis/{analysis,analysis-lock,lock-table}.ts'],
    tests: ['src/systems/analysis/{analysis,analysis-lock,lock-table}.test.ts'],
  },
  jobs: {
    mutate: [
      'src/systems/jobs/job-state.ts',
      'src/systems/jobs/schedule/*.ts',
      'src/systems/jobs/worker/{deadlines,failure-outcome}.ts',
      'src/systems/jobs/scheduler/assign-gated.ts',
      noTests,
    ],
    tests: [
      'src/systems/jobs/job-state.test.ts',
      // Not dst-years: walking through a year of clock changes takes seconds.
      'src/systems/jobs/schedule/{check-schedule,civil-time,due-window,next-due-times,occurrences,wall-times,zone-offset-ms}.test.ts',
      'src/systems/jobs/worker/{deadlines,failure-outcome}.test.ts',
      'src/systems/jobs/scheduler/assign-gated.test.ts',
    ],
  },
  reservations: {
    mutate: ['src/systems/reservations/{priority-table,resolve-conflict,video-table,calendar,reservation-moves}.ts'],
    tests: [
      'src/systems/reservations/{priority-table,resolve-conflict,video-table,calendar,reservation-moves}.test.ts',
    ],
  },
  telemetry: {
    mutate: ['src/systems/telemetry/{judge-rollout,summarise,parse-batch}.ts'],
    tests: ['src/systems/telemetry/{judge-rollout,summarise,parse-batch}.test.ts'],
  },
  browser: {
    mutate: [
      'src/browser/project-lock/{is-live,lock-record,lock-state,record-rules}.ts',
      'src/browser/autosave/{auto-save-phase,generation-name,history-index,plan-history,saved-file,stale-temporary}.ts',
    ],
    tests: [
      'src/browser/project-lock/{is-live,lock-record,lock-state,record-rules}.test.ts',
      'src/browser/autosave/{auto-save-phase,generation-name,history-index,plan-history,saved-file,stale-temporary}.test.ts',
    ],
  },
};
