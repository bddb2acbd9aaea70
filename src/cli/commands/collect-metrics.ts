/** `kannuki collect-metrics`: how the project lock fares in the field, per phase. A client of the server. */
import type { ApiAnswer } from '../../client/route-call.ts';
import { type ApiOptions, createApiClient } from '../api-client.ts';
import type { CliContext } from '../cli-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatShare } from '../format-share.ts';
import { readDuration } from '../options.ts';
import { tableLines } from '../table-lines.ts';

export interface CollectMetricsOptions extends ApiOptions {
  readonly window: string;
  readonly json?: boolean;
}

const windowBounds = { minMs: 60_000, maxMs: 86_400_000 };

export async function collectMetrics(context: CliContext, options: CollectMetricsOptions): Promise<number> {
  const { messages } = context;
  const windowMs = readDuration('--window', options.window, windowBounds, messages);
  const client = createApiClient(context, options);
  const summary = await client.call('GET /api/v1/metrics/lock', { query: { windowMs } });
  if (options.json) {
    context.print(JSON.stringify(summary));
    return exitCodes.ok;
  }
  const ms = (value: number | undefined): string => (value === undefined ? '–' : `${Math.round(value)} ms`);
  const rows = summary.phases.map((phase) => [
    phase.current ? `${phase.phase} *` : phase.phase,
    String(phase.sessions),
    String(phase.readonlySessions),
    formatShare(phase.readonlyRate),
    ms(phase.acquireP50Ms),
    ms(phase.acquireP95Ms),
    formatShare(phase.fallbackShare),
    String(phase.renewFailures),
  ]);
  const head = ['PHASE', 'SESSIONS', 'READONLY', 'RATE', 'P50', 'P95', 'FALLBACK', 'RENEW FAILURES'];
  if (rows.length > 0) for (const line of tableLines(head, rows)) context.print(line);
  const { rollout } = await client.call('GET /api/v1/flags', {});
  context.say(verdict(context, summary, rollout));
  return exitCodes.ok;
}

function verdict(
  { messages }: CliContext,
  summary: ApiAnswer<'GET /api/v1/metrics/lock'>,
  rollout: ApiAnswer<'GET /api/v1/flags'>['rollout'],
): string {
  const { judgement } = summary;
  const sessions = summary.phases.find(({ current }) => current)?.sessions ?? 0;
  const rate = formatShare(judgement.rate);
  const limit = formatShare(rollout.settings.thresholds[summary.phase]);
  if (judgement.breach) return messages.verdictBreach(rate, limit, judgement.to);
  if (judgement.why === 'no-sessions') return messages.noSessions;
  return judgement.why === 'too-few-sessions'
    ? messages.verdictFew(sessions, rollout.settings.minSessions)
    : messages.verdictOk(rate, limit);
}
