/** Calls the server this page came from. The session travels as a cookie that no script can read. */
import { ApiProblem } from './api-problem.ts';

export async function callApi<Reply>(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<Reply> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: body ? { 'content-type': 'application/json' } : {},
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (cause) {
    throw new ApiProblem('The server does not answer.', { status: 0, code: 'unreachable', cause });
  }
  const reply: unknown = await response.json().catch(() => undefined);
  if (response.ok) return reply as Reply;
  const { detail = response.statusText, code = 'unknown' } = (reply ?? {}) as { detail?: string; code?: string };
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new ApiProblem(detail, {
    status: response.status,
    code,
    ...(Number.isFinite(seconds) && { retryAfterSeconds: seconds }),
  });
}
