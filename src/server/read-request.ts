import type { z } from 'zod';
import type { Call } from './call.ts';
import { checkText } from './check-text.ts';
import { ProblemError } from './problem.ts';

/** The body as JSON; nothing but `application/json` is accepted, which also keeps out plain HTML forms. */
export async function readJson({ request }: Call): Promise<unknown> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new ProblemError({
      status: 415,
      code: 'unsupported-media-type',
      detail: 'Send the body as JSON with the header "Content-Type: application/json".',
    });
  }
  const text = await request.text();
  const value = parseJson(text);
  checkText(text, value);
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProblemError({ status: 400, code: 'bad-json', detail: 'The body is not valid JSON.' });
  }
}

export async function readBody<Schema extends z.ZodType>(call: Call, schema: Schema): Promise<z.output<Schema>> {
  checkDescribed(call.description.body, schema);
  return checkShape(await readJson(call), schema);
}

export function readQuery<Schema extends z.ZodType>({ query, description }: Call, schema: Schema): z.output<Schema> {
  checkDescribed(description.query, schema);
  return checkShape(Object.fromEntries(query), schema);
}

/** An id in the path: a whole number from 1. */
export function readId({ params }: Call): number {
  const text = params.id ?? '';
  const id = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (id >= 1 && Number.isSafeInteger(id)) return id;
  throw new ProblemError({ status: 400, code: 'invalid-argument', detail: `"${text.slice(0, 40)}" is not an id.` });
}

/** The optional body of an act: nothing at all is an empty one. */
export async function readAct<Schema extends z.ZodType>(call: Call, schema: Schema): Promise<z.output<Schema>> {
  checkDescribed(call.description.body, schema);
  const hasBody = call.request.headers.has('content-type');
  return checkShape(hasBody ? await readJson(call) : {}, schema);
}

/** The reference must not say one thing while another is checked. */
function checkDescribed(described: z.ZodType | undefined, used: z.ZodType): void {
  if (described !== used) throw new Error('A route checks its request by another schema than its description names.');
}

export function checkShape<Schema extends z.ZodType>(value: unknown, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ProblemError({ status: 400, code: 'invalid-argument', detail: describeIssue(parsed.error) });
}

/** The first thing that is wrong; one sentence is read, a list is not. */
function describeIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (!issue) return 'The request is not understood.';
  const message = issue.message.replace(/[.]$/, '');
  return issue.path.length === 0 ? `${message}.` : `"${issue.path.join('.')}": ${message}.`;
}
