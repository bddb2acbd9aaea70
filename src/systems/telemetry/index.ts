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
export type { SourceLimitOptions } from '../../core/source-limit.ts';
export { type Collector, type CollectorOptions, type CollectReply, createCollector } from './create-collector.ts';
export { createReporter, type Report, type Reporter, type ReporterOptions } from './create-reporter.ts';
export {
  type ChangeRequest,
  createRollouts,
  type RolloutChange,
  type Rollouts,
  type RolloutsOptions,
} from './create-rollouts.ts';
export type { Incident, IncidentOutcome } from './incident.ts';
export { type Judgement, judgeRollout, type PhaseCounts } from './judge-rollout.ts';
export { createNotifier, type Notifier } from './notify/create-notifier.ts';
export type { Channel, Notice } from './notify/notice.ts';
export { type PagerdutyOptions, pagerdutyChannel } from './notify/pagerduty-channel.ts';
export { type SlackOptions, slackChannel } from './notify/slack-channel.ts';
export { type WebhookOptions, webhookChannel } from './notify/webhook-channel.ts';
export type { RefusedEvent } from './parse-batch.ts';
export { type PhaseSummary, summarise, type WindowSummary } from './summarise.ts';
export { TelemetryError, type TelemetryErrorCode } from './telemetry-error.ts';
export type { TelemetryBatch, TelemetryEvent } from './telemetry-event.ts';
export { telemetryMigrations } from './telemetry-migrations.ts';
export type { VersionPage } from './version-page.ts';
