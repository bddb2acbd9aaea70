/** The effect that calls the renderer. Silence and refusal are failures of this attempt. */

import type { EffectAnswer, EffectRun } from '../../core/effect-queue.ts';
import { AppError } from './app-error.ts';
import { effectNames } from './effect-names.ts';
import type { AttemptPayload, RenderAttempt } from './render-attempt.ts';
import { changes, queryOne, type ReservationsContext } from './reservations-context.ts';
import { failAttempt } from './settle-render.ts';

/** When the renderer is asked how it goes, for callbacks that never come. */
const firstCheckMs = 15_000;
const done: EffectAnswer = { kind: 'done' };

export async function submitRender(c: ReservationsContext, run: EffectRun): Promise<EffectAnswer> {
  const { videoId, attempt } = run.payload as AttemptPayload;
  const row = await queryOne<RenderAttempt>(c.database, c.sql.readRenderAttempt, [videoId, attempt]);
  if (!row?.current || row.state !== 'asked' || row.status !== 'processing') return done;
  let renderId: string;
  try {
    const { token: attemptToken, source } = row;
    ({ renderId } = await c.render.submit({ videoId, attempt, source, attemptToken }));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await failAttempt(c, videoId, attempt, error.message);
    return done;
  }
  await c.database.transaction(async (tx) => {
    if (!(await changes(tx, c.sql.recordRenderAttempt, [videoId, attempt, 'working', renderId, null]))) return;
    const payload: AttemptPayload = { videoId, attempt };
    const runAtMs = row.nowMs + firstCheckMs;
    const key = `render-check:${videoId}:${attempt}`;
    await c.effects.enqueue(tx, effectNames.renderCheck, payload, { key, runAtMs });
  });
  return done;
}
