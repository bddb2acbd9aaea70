/** Workers of `createJobs` on a real server. One file: they share it, and a Redis where there is one. */
import { describeRedisPulse } from './redis-pulse.ts';
import { describeRunEnds } from './run-ends.ts';
import { describeWorkerFaults } from './worker-faults.ts';
import { useWorkerRig } from './worker-rig.ts';

const rig = useWorkerRig();

describeRunEnds(rig);
describeWorkerFaults(rig);
describeRedisPulse(rig);
