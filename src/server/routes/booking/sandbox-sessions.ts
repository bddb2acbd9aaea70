/** The sandbox for people of the house: its payment pages, how its webhooks travel, and renders that fail. */
import type { CheckoutButton } from '../../../systems/reservations/providers/sandbox/index.ts';
import { bookingOf } from '../../booking/booking-of.ts';
import { hideAddress } from '../../booking/show-reservation.ts';
import {
  type SandboxReply,
  type SandboxSessionReply,
  sandboxPressBody,
  sandboxSettingsBody,
} from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { ProblemError } from '../../problem.ts';
import { readBody } from '../../read-request.ts';

const shownMax = 50;

export async function getSandbox(call: Call): Promise<Response> {
  return Response.json(await sandboxReply(call));
}

export async function pressSandboxSession(call: Call): Promise<Response> {
  const { press } = await readBody(call, sandboxPressBody);
  const reply = await pressSandbox(call, call.params.session ?? '', press);
  return Response.json({ ...reply, session: { ...reply.session, email: hideAddress(reply.session.email) } });
}

export async function changeSandbox(call: Call): Promise<Response> {
  const { deliveries, failRenders = 0 } = await readBody(call, sandboxSettingsBody);
  const { payments, render } = bookingOf(call).sandbox;
  if (deliveries) payments?.configure(deliveries);
  if (failRenders > 0) render?.failNext(failRenders, 'fails');
  return Response.json(await sandboxReply(call));
}

/** Presses a button of a session; 409 when it has none of that name any more. */
export async function pressSandbox(call: Call, session: string, press: CheckoutButton): Promise<SandboxSessionReply> {
  const { payments } = bookingOf(call).sandbox;
  const answer = await payments?.press(session, press);
  const shown = await payments?.findSession(session);
  if (!shown || !answer) {
    throw new ProblemError({ status: 404, code: 'not-found', detail: 'The sandbox has no such payment page.' });
  }
  if (!answer.ok && press !== 'fail') {
    throw new ProblemError({
      status: 409,
      code: 'CANNOT_CHECK_OUT',
      detail: `This payment page is ${shown.status === 'complete' ? 'done' : 'closed'}: nothing was charged now.`,
    });
  }
  return { session: shown, ...(press === 'fail' && { declined: true }) };
}

async function sandboxReply(call: Call): Promise<SandboxReply> {
  const { payments, mail, render } = bookingOf(call).sandbox;
  const { delayMs = 0, copies = 1, order = 'kept', isLost = false } = payments?.deliveries ?? {};
  const sessions = (await payments?.showSessions(shownMax)) ?? [];
  return {
    sessions: sessions.map((session) => ({ ...session, email: hideAddress(session.email) })),
    deliveries: { delayMs, copies, order, isLost },
    parts: { payments: payments !== undefined, mail: mail !== undefined, render: render !== undefined },
  };
}
