export { traceLeases } from './trace-leases.ts';
export { traceRuns } from './trace-runs.ts';
