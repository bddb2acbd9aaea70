/**
 * Where a page ended, as the reader sends it back. It names its list, so that one of another list is refused; what
 * stands in it is nobody's business but ours. The values are those of the last row in the order of the list, so a page
 * begins after that row also when it is gone by then, and whatever came or went before it.
 */
import { z } from 'zod';

/** The longest lease key, spelled in base64. */
const cursorMax = 2_000;

export function writeCursor(list: string, place: readonly (number | string)[]): string {
  return Buffer.from(JSON.stringify([list, ...place])).toString('base64url');
}

/** Checks a cursor of this list and tells its place. */
export function cursorOf<Place extends readonly (number | string)[]>(
  list: string,
  place: z.ZodType<Place>,
): z.ZodType<Place, string> {
  return z
    .string()
    .max(cursorMax)
    .meta({ description: '`cursor` of the page before.' })
    .transform((text, context): Place => {
      const [named, ...values] = parse(text);
      const found = named === list && values.every(isStorable) ? place.safeParse(values) : undefined;
      if (found?.success) return found.data;
      context.addIssue({
        code: 'custom',
        message: 'is not a cursor of this list; send the one that a page of it gave',
      });
      return z.NEVER;
    });
}

/** A place that is one id: a whole number that the database can hold. */
export const idPlace: z.ZodType<readonly [number]> = z.tuple([z.int().min(0)]);

/** A text that a database takes: a cursor comes past the check of the query's own text. */
function isStorable(value: unknown): boolean {
  return typeof value !== 'string' || !/\0|\p{Cs}/u.test(value);
}

function parse(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
