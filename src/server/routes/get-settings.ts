import type { Call } from '../call.ts';
import type { SettingsReply } from '../job-contract.ts';
import { jobsOf } from '../jobs-of.ts';

export async function getSettings(call: Call): Promise<Response> {
  return Response.json({ settings: await jobsOf(call).settings() } satisfies SettingsReply);
}
