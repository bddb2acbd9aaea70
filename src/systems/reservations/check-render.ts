/** The effect that asks how it goes, for callbacks that never come. */
import type { EffectAnswer, EffectRun } from '../../core/effect-queue.ts';
import type { AttemptPayload, RenderAttempt } from './render-attempt.ts';
import { queryOne, type ReservationsContext } from './reservations-context.ts';
import { failAttempt, settleRender } from './settle-render.ts';

const checkEveryMs = 15_000;
const done: EffectAnswer = { kind: 'done' };

export async function checkRender(c: ReservationsContext, run: EffectRun): Promise<EffectAnswer> {
  const { videoId, attempt } = run.payload as AttemptPayload;
  const row = await queryOne<RenderAttempt>(c.database, c.sql.readRenderAttempt, [videoId, attempt]);
  if (row?.state !== 'working' || row.renderId === null) return done;
  const status = await c.render.getStatus(row.renderId);
  if (status && status.status !== 'working') {
    await settleRender(c, videoId, attempt, status);
    return done;
  }
  if (row.nowMs - row.startedAtMs < c.settings.renderTimeoutMs) return { kind: 'again', afterMs: checkEveryMs };
  await failAttempt(c, videoId, attempt, 'no end within the time limit');
  return done;
}
