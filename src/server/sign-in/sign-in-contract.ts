/** What goes over the wire when somebody signs in. */
import { z } from 'zod';
import { type Role, roles } from '../authenticate.ts';

export const sessionBody: z.ZodType<{ readonly code: string }> = z.strictObject({ code: z.string().min(1).max(128) });

export const signInCodeBody: z.ZodType<{ readonly name: string; readonly role: Role }> = z.strictObject({
  name: z.string().trim().min(1).max(64),
  role: z.enum(roles),
});
