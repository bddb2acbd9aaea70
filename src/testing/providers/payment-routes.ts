/** The part of the payment API that the fake speaks: each route reads form fields and asks the book. */
import {
  accepted,
  type BookAnswer,
  invalid,
  missing,
} from '../../systems/reservations/providers/sandbox/book/book-refusal.ts';
import type { PaymentBook } from '../../systems/reservations/providers/sandbox/book/payment-book.ts';

export interface PaymentCall {
  readonly book: PaymentBook;
  /** Query of a GET, body of a POST; nested names as they are sent: `metadata[reservationId]`. */
  readonly params: URLSearchParams;
  /** The ids in the path. */
  readonly id: string;
}

interface PaymentRoute {
  readonly method: 'GET' | 'POST';
  readonly pattern: RegExp;
  answer(call: PaymentCall): BookAnswer<unknown>;
}

const sessionFields =
  /^(mode|client_reference_id|customer_email|locale|success_url|cancel_url|expires_at|allowed_payment_method_types|payment_method_options|line_items|metadata|payment_intent_data|expand)(\[|$)/;
const refundFields = /^(payment_intent|amount|reason|instructions_email|metadata|expand)(\[|$)/;

export const paymentRoutes: readonly PaymentRoute[] = [
  {
    method: 'POST',
    pattern: /^\/v1\/checkout\/sessions$/,
    answer: ({ book, params }) => {
      const unknown = unknownField(params, sessionFields);
      if (unknown) return unknown;
      if (params.get('mode') !== 'payment') return invalid('mode', 'Only the mode "payment" is known here.');
      const price = 'line_items[0][price_data]';
      const expiresAt = params.get('expires_at');
      const customerEmail = params.get('customer_email');
      const clientReferenceId = params.get('client_reference_id');
      const opened = book.sessions.open({
        amount: Number(params.get(`${price}[unit_amount]`)) * Number(params.get('line_items[0][quantity]')),
        currency: params.get(`${price}[currency]`) ?? '',
        title: params.get(`${price}[product_data][name]`) ?? '',
        successUrl: params.get('success_url') ?? '',
        metadata: groupOf(params, 'metadata'),
        intentMetadata: groupOf(params, 'payment_intent_data[metadata]'),
        methods: Object.values(groupOf(params, 'allowed_payment_method_types')),
        voucherDays: Number(params.get('payment_method_options[konbini][expires_after_days]') ?? 3),
        cancelUrl: params.get('cancel_url') ?? '',
        locale: params.get('locale') ?? 'auto',
        ...(expiresAt === null ? {} : { expiresAt: Number(expiresAt) }),
        ...(customerEmail === null ? {} : { customerEmail }),
        ...(clientReferenceId === null ? {} : { clientReferenceId }),
      });
      return opened;
    },
  },
  {
    method: 'GET',
    pattern: /^\/v1\/checkout\/sessions$/,
    answer: ({ book, params }) => {
      const since = Number(params.get('created[gte]') ?? 0);
      const sessions = [...book.state.sessions.values()].filter(({ created }) => created >= since);
      const page = pageOf(sessions, params);
      return accepted({
        ...page,
        data: page.data.map((session) => (expands(params) ? book.expand(session) : session)),
      });
    },
  },
  {
    method: 'GET',
    pattern: /^\/v1\/checkout\/sessions\/([^/]+)$/,
    answer: ({ book, id, params }) => {
      const found = book.sessions.find(id);
      return found.ok && expands(params) ? accepted(book.expand(found.value)) : found;
    },
  },
  {
    method: 'POST',
    pattern: /^\/v1\/checkout\/sessions\/([^/]+)\/expire$/,
    answer: ({ book, id, params }) => unknownField(params, /^expand\[/) ?? book.sessions.expire(id),
  },
  {
    method: 'GET',
    pattern: /^\/v1\/payment_intents\/([^/]+)$/,
    answer: ({ book, id, params }) => {
      const intent = book.state.intents.get(id);
      if (!intent) return missing('payment_intent', id);
      const charge = book.state.charges.get(intent.latest_charge ?? '');
      const isExpanded = Object.values(groupOf(params, 'expand')).includes('latest_charge');
      return accepted(isExpanded && charge ? { ...intent, latest_charge: charge } : intent);
    },
  },
  {
    method: 'POST',
    pattern: /^\/v1\/refunds$/,
    answer: ({ book, params }) => {
      const unknown = unknownField(params, refundFields);
      if (unknown) return unknown;
      const amount = params.get('amount');
      const reason = params.get('reason');
      const intent = book.state.intents.get(params.get('payment_intent') ?? '');
      const method = book.state.charges.get(intent?.latest_charge ?? '')?.payment_method_details.type;
      // Stricter than need be: whether the provider minds is not documented.
      if (method === 'card' && params.has('instructions_email')) {
        return invalid('instructions_email', 'A card is refunded without instructions.');
      }
      return book.refunds.make({
        paymentIntentId: params.get('payment_intent') ?? '',
        metadata: groupOf(params, 'metadata'),
        ...(amount === null ? {} : { amount: Number(amount) }),
        ...(reason === null ? {} : { reason }),
      });
    },
  },
  {
    method: 'GET',
    pattern: /^\/v1\/refunds$/,
    answer: ({ book, params }) => accepted(pageOf(book.refunds.ofPayment(params.get('payment_intent') ?? ''), params)),
  },
  {
    method: 'GET',
    pattern: /^\/v1\/disputes$/,
    answer: ({ book, params }) => accepted(pageOf(book.disputes.ofPayment(params.get('payment_intent') ?? ''), params)),
  },
];

export function findPaymentRoute(
  method: string,
  path: string,
): { readonly route: PaymentRoute; readonly id: string } | undefined {
  for (const route of paymentRoutes) {
    const found = route.method === method ? route.pattern.exec(path) : null;
    if (found) return { route, id: found[1] ?? '' };
  }
  return undefined;
}

export function unknownRoute(method: string, path: string): BookAnswer<never> {
  return missing(`route ${method}`, path);
}

/** The provider knows its fields, and says so: a key that slipped into the body is seen here. */
function unknownField(params: URLSearchParams, known: RegExp): BookAnswer<never> | undefined {
  const field = [...params.keys()].find((name) => !known.test(name));
  return field === undefined ? undefined : invalid(field, `Received unknown parameter: ${field}`);
}

/** `metadata[a]=1&metadata[b]=2` is `{ a: '1', b: '2' }`. */
function groupOf(params: URLSearchParams, name: string): Record<string, string> {
  const group: Record<string, string> = {};
  for (const [field, value] of params) {
    if (field.startsWith(`${name}[`) && field.endsWith(']')) group[field.slice(name.length + 1, -1)] = value;
  }
  return group;
}

function expands(params: URLSearchParams): boolean {
  return Object.values(groupOf(params, 'expand')).some((what) => what.endsWith('payment_intent.latest_charge'));
}

/** Newest first, as the provider lists. */
function pageOf<T extends { readonly id: string }>(
  items: readonly T[],
  params: URLSearchParams,
): { readonly object: 'list'; readonly data: readonly T[]; readonly has_more: boolean; readonly url: string } {
  const newestFirst = [...items].reverse();
  const after = params.get('starting_after');
  const start = after === null ? 0 : newestFirst.findIndex(({ id }) => id === after) + 1;
  const limit = Number(params.get('limit') ?? 10);
  const data = newestFirst.slice(start, start + limit);
  return { object: 'list', data, has_more: start + limit < newestFirst.length, url: '/v1' };
}
