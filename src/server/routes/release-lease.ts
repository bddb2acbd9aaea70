import { limits } from '../../core/limits.ts';
import type { Call } from '../call.ts';
import { type ReleaseReply, releaseBody } from '../contract.ts';
import { jsonAnswer, type PlainAnswer } from '../plain-answer.ts';
import { readBody } from '../read-request.ts';
import { shareOf } from '../share-of.ts';

/** `released: false` = this grant was not in the record; nothing was changed. */
export async function releaseLease(call: Call): Promise<PlainAnswer> {
  const body = await readBody(call, releaseBody);
  const { key, owner, token, acceptMs = limits.acceptMsMax } = body;
  const released = await call.services.store.release({ key, owner, token, acceptMs, ...shareOf(body) });
  return jsonAnswer({ released } satisfies ReleaseReply);
}
