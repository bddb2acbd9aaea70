import { afterAll, beforeAll, describe } from 'vitest';
import { type BookingEngine, bookingEngines, type OpenedEngine } from './booking-engines.ts';
import { type BookingWorld, openWorld, type WorldOptions } from './booking-world.ts';

export interface EngineTests {
  /** A fresh world in a schema of its own. */
  open(options?: WorldOptions & { readonly max?: number }): Promise<BookingWorld>;
  /** Why there is none; a test skips with it. */
  missing(): string | undefined;
}

/** One `describe` per engine. Each test opens its own world; PGlite is one database per world. */
export function onEveryEngine(
  name: string,
  define: (engine: EngineTests, name: string) => void,
  engines: readonly BookingEngine[] = bookingEngines,
): void {
  for (const engine of engines) {
    // A machine that is shared can be ten times slower than a quiet one.
    describe(`${name} on ${engine.name}`, { timeout: 240_000 }, () => {
      let opened: OpenedEngine | undefined;
      let count = 0;
      beforeAll(async () => {
        opened = await engine.open();
      }, 240_000);
      afterAll(async () => {
        await opened?.close();
      });
      define(
        {
          missing: () => (opened ? undefined : `${engine.name} cannot be had here`),
          open: ({ max, ...options } = {}) => {
            if (!opened) throw new Error(`${engine.name} cannot be had here`);
            return openWorld(opened.database(`booking_${++count}`, max === undefined ? {} : { max }), options);
          },
        },
        engine.name,
      );
    });
  }
}
