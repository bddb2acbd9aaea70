import type { Call } from '../call.ts';
import { type SettingsReply, settingBody } from '../job-contract.ts';
import { actorOf, jobsOf } from '../jobs-of.ts';
import { readBody } from '../read-request.ts';

/** In force with the next tick and heartbeat of every process. */
export async function changeSetting(call: Call): Promise<Response> {
  const jobs = jobsOf(call);
  const { key, value, why } = await readBody(call, settingBody);
  await jobs.setSetting(key, value, actorOf(call, why));
  return Response.json({ settings: await jobs.settings() } satisfies SettingsReply);
}
