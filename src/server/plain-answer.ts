/**
 * An answer whose whole text is known, as the three things that go on the wire. A `Response` carries a stream, an object
 * of headers and their checks; building one takes longer than granting a lease does.
 */
export interface PlainAnswer {
  readonly status: number;
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Answered = PlainAnswer | Response;

export function jsonAnswer(value: object): PlainAnswer {
  return { status: 200, headers: jsonHeaders, body: JSON.stringify(value) };
}

const jsonHeaders = { 'content-type': 'application/json' };

export function responseOf(answered: Answered): Response {
  if (answered instanceof Response) return answered;
  const { status, headers, body } = answered;
  return new Response(body, { status, headers });
}
