import type { Call } from '../call.ts';
import { ProblemError } from '../problem.ts';
import { readBody } from '../read-request.ts';
import { signInCodeBody } from '../sign-in/sign-in-contract.ts';

/** A one-time code for somebody else, to be given on as a link. */
export async function createSignInCode(call: Call): Promise<Response> {
  const { name, role } = await readBody(call, signInCodeBody);
  const code = await call.services.systems.signIn?.createCode(name, role, call.caller?.name);
  if (code === undefined) {
    throw new ProblemError({
      status: 501,
      code: 'unsupported',
      detail: 'This server has no database to sign in with.',
    });
  }
  return Response.json({ path: `/sign-in#code=${code}`, name, role });
}
