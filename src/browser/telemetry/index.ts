export { isPhase, nextPhase, type Phase, phases, previousPhase } from '../../core/rollout/phase.ts';
export {
  defaultRolloutSettings,
  isOn,
  type PhaseSources,
  type Rollout,
  type RolloutSettings,
  resolvePhase,
} from '../../core/rollout/rollout.ts';
export { stableBucket } from '../../core/rollout/stable-bucket.ts';
export type { LockEvent } from './lock-signal.ts';
export {
  type LockTelemetryPublisher,
  type PublisherOptions,
  type PublisherPage,
  publishLockTelemetry,
} from './publish-lock-telemetry.ts';
