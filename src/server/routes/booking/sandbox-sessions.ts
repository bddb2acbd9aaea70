/** The sandbox for people of the house: its payment pages, how its webhooks travel, and renders that fail. */
import type { CheckoutButton } from '../../../systems/reservations/providers/sandbox/index.ts';
import { bookingOf } from '../../booking/booking-of.ts';
import { hideAddress } from '../../booking/show-reservation.ts';
import { showSandboxSession } from '../../booking/show-sandbox-session.ts';
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

export function getSandbox(call: Call): Response {
  return Response.json(sandboxReply(call));
}

export async function pressSandboxSession(call: Call): Promise<Response> {
  const { press } = await readBody(call, sandboxPressBody);
  const reply = pressSandbox(call, call.params.session ?? '', press);
  return Response.json({ ...reply, session: { ...reply.session, email: hideAddress(reply.session.email) } });
}

export async function changeSandbox(call: Call): Promise<Response> {
  const { deliveries, failRenders = 0 } = await readBody(call, sandboxSettingsBody);
  const { payments, render } = bookingOf(call).sandbox;
  if (deliveries) payments?.courier.configure(deliveries);
  if (failRenders > 0) render?.failNext(failRenders, 'fails');
  return Response.json(sandboxReply(call));
}

/** Presses a button of a session; 409 when it has none of that name any more. */
export function pressSandbox(call: Call, session: string, press: CheckoutButton): SandboxSessionReply {
  const { payments } = bookingOf(call).sandbox;
  const answer = payments?.press(session, press);
  const shown = payments && showSandboxSession(payments, session);
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

function sandboxReply(call: Call): SandboxReply {
  const { payments, mail, render } = bookingOf(call).sandbox;
  const ids = [...(payments?.book.state.sessions.keys() ?? [])].slice(-shownMax).reverse();
  const settings = payments?.courier.settings;
  return {
    sessions: ids.flatMap((id) => {
      const session = payments && showSandboxSession(payments, id);
      return session ? [{ ...session, email: hideAddress(session.email) }] : [];
    }),
    deliveries: {
      delayMs: settings?.delayMs ?? 0,
      copies: settings?.copies ?? 1,
      order: settings?.order ?? 'kept',
      isLost: settings?.isLost ?? false,
    },
    parts: { payments: payments !== undefined, mail: mail !== undefined, render: render !== undefined },
  };
}
