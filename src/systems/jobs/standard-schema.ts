/**
 * Any validator that follows Standard Schema (Zod, Valibot, ArkType, …) is recognised by its one property; nothing
 * is imported.
 */
import { JobError } from './job-error.ts';

/** The part of the specification that is used here. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => ValidationResult<Output> | Promise<ValidationResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type ValidationResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly ValidationIssue[] };

interface ValidationIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What the schema makes of a payload. Throws `invalid-payload`. Only a promise if the validator gives one. */
export function applyStandardSchema<Output>(
  schema: StandardSchema<unknown, Output>,
  payload: unknown,
  job: string,
): Output | Promise<Output> {
  const result = schema['~standard'].validate(payload);
  return result instanceof Promise ? result.then((settled) => read(settled, job)) : read(result, job);
}

function read<Output>(result: ValidationResult<Output>, job: string): Output {
  if (!result.issues) return result.value;
  const shown = result.issues.slice(0, 5).map(describeIssue);
  const more = result.issues.length > shown.length ? ` and ${result.issues.length - shown.length} more` : '';
  throw new JobError(`The payload of "${job}" does not fit its schema: ${shown.join('; ')}${more}.`, {
    code: 'invalid-payload',
    job,
  });
}

function describeIssue({ message, path = [] }: ValidationIssue): string {
  const where = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return where ? `${where}: ${message}` : message;
}
