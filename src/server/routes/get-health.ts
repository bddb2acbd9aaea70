/** The process is alive. It asks nobody, so that a slow database does not get the process killed. */
export function getHealth(): Response {
  return Response.json({ status: 'ok' });
}
