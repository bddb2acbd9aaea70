/** What goes over the wire when somebody listens to changes. */
import { z } from 'zod';

export interface StreamQuery {
  /** As the header `Last-Event-ID`. */
  readonly lastEventId?: string;
}

export const streamQuery: z.ZodType<StreamQuery> = z.strictObject({
  lastEventId: z.string().max(4_096).exactOptional(),
});
