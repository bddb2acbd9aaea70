import type { RunOutcome } from './run-outcome.ts';

/** Larger results belong into a store of their own. In characters of JSON. */
const resultCharsMax = 1_048_576;

/** What a handler returned, as the run keeps it. Something that is not JSON fails the run, without a next attempt. */
export function resultOutcome(result: unknown): RunOutcome {
  if (result === undefined || result === null) return succeeded;
  let text: string | undefined;
  try {
    text = JSON.stringify(result);
  } catch (error) {
    return invalid(`The result is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (text === undefined) return invalid(`The result is a ${typeof result}, which JSON does not know.`);
  if (text.length > resultCharsMax)
    return invalid(`The result has ${text.length} characters of JSON, more than ${resultCharsMax}.`);
  return { state: 'SUCCEEDED', result: text };
}

const succeeded: RunOutcome = { state: 'SUCCEEDED' };

function invalid(error: string): RunOutcome {
  return { state: 'FAILED', reason: 'invalid-result', error, retryDelaySeconds: null };
}
