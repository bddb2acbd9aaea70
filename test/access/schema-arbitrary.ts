/**
 * Values for a schema: most fit it, some nearly do, some are what attackers try. Made from the JSON Schema of the very
 * schema that the server checks by.
 */
import fc from 'fast-check';
import { z } from 'zod';

type JsonSchema = Readonly<Record<string, unknown>>;

/** What has broken somebody's server before. */
export const nasty: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  null,
  true,
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e',
  "'; drop table leases; --",
  "' or 1=1 --",
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '../../../../etc/passwd',
  '%00',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the attack is written like this.
  '${jndi:ldap://x}',
  '{{7*7}}',
  '__proto__',
  'constructor',
  'x'.repeat(100_000),
  '9'.repeat(400),
  '1e999',
  'NaN',
  '0x10',
  -1,
  -0,
  0.1,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e308,
  Number.MIN_VALUE,
  [],
  {},
  [[[[[[[[[[]]]]]]]]]],
  { __proto__: null, constructor: { prototype: {} } },
  { toString: 1 },
  '2026-02-30T25:61:61Z',
  '-271821-04-20T00:00:00Z',
  '* * * * * * * *',
  '59 23 30 2 *',
  'Etc/Nowhere',
  'http://169.254.169.254/latest/meta-data',
  'file:///etc/passwd',
);

export function schemaArbitrary(schema: z.ZodType): fc.Arbitrary<unknown> {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return fc.oneof(
    { arbitrary: fitting(json), weight: 5 },
    { arbitrary: spoiled(fitting(json)), weight: 4 },
    { arbitrary: fc.oneof(nasty, fc.jsonValue()), weight: 1 },
  );
}

/** One place of it replaced, removed or added. */
function spoiled(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(values, nasty, fc.nat(), fc.nat(2)).map(([value, bad, at, how]) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return bad;
    const names = Object.keys(value);
    const name = names[at % Math.max(1, names.length)];
    if (name === undefined || how === 0) return { ...value, [['extra', '__proto__x', 'key'][at % 3] ?? 'extra']: bad };
    if (how === 1) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
    return { ...value, [name]: bad };
  });
}

function fitting(schema: JsonSchema): fc.Arbitrary<unknown> {
  const options = (schema.anyOf ?? schema.oneOf) as readonly JsonSchema[] | undefined;
  if (options) return fc.oneof(...options.map(fitting));
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]));
  switch (schema.type) {
    case 'object':
      return object(schema);
    case 'array':
      return fc.array(fitting((schema.items ?? {}) as JsonSchema), {
        minLength: Number(schema.minItems ?? 0),
        maxLength: Math.min(Number(schema.maxItems ?? 5), Number(schema.minItems ?? 0) + 4),
      });
    case 'integer':
    case 'number':
      return number(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      return text(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function object(schema: JsonSchema): fc.Arbitrary<unknown> {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  const required = (schema.required ?? []) as readonly string[];
  const more = schema.additionalProperties;
  const record = fc.record(
    Object.fromEntries(
      // A long wait is no fault, and a test has no time for it.
      Object.entries(properties).map(([name, one]) => [name, name === 'waitMs' ? fc.nat(3) : fitting(one)]),
    ),
    { requiredKeys: [...required] },
  );
  if (typeof more !== 'object' || more === null) return record;
  return fc
    .tuple(
      record,
      fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fitting(more as JsonSchema), { maxKeys: 3 }),
    )
    .map(([own, others]) => ({ ...others, ...own }));
}

function number(schema: JsonSchema): fc.Arbitrary<number> {
  const min = Number(schema.minimum ?? schema.exclusiveMinimum ?? -1e6);
  const max = Number(schema.maximum ?? schema.exclusiveMaximum ?? Math.max(1e6, min));
  const bound = (value: number): number => Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, value));
  const whole = fc.integer({ min: Math.ceil(bound(min)), max: Math.floor(bound(max)) });
  return schema.type === 'integer' ? whole : fc.oneof(whole, fc.double({ min, max, noNaN: true }));
}

/** Words that mean something here meet more often than chance would have them. */
const words = [
  'idle',
  'report',
  'k',
  'jobs/leader',
  'p.1@x',
  'a.b',
  'UTC',
  'Asia/Tokyo',
  '* * * * *',
  '09:30',
  'http://127.0.0.1:9/',
];

function text(schema: JsonSchema): fc.Arbitrary<string> {
  const minLength = Number(schema.minLength ?? 0);
  const maxLength = Math.min(Number(schema.maxLength ?? 60), minLength + 60);
  return fc.oneof(
    fc.constantFrom(...words),
    fc.string({ minLength, maxLength, unit: 'binary' }),
    fc.string({ minLength, maxLength, unit: 'grapheme-ascii' }),
  );
}
