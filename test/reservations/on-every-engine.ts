import { afterAll, beforeAll, describe } from 'vitest';
import type { SqlDatabase } from '../../src/core/ports.ts';
import { type BookingEngine, bookingEngines, type OpenedEngine } from './booking-engines.ts';
import { type BookingWorld, openWorld, type WorldOptions } from './booking-world.ts';

export interface EngineTests {
  /** A fresh world. Tables are made once and emptied; `spoils` asks for tables of its own, to be changed. */
  open(options?: WorldOptions & { readonly max?: number; readonly spoils?: boolean }): Promise<BookingWorld>;
  /** Why there is none; a test skips with it. */
  missing(): string | undefined;
}

/** One `describe` per engine. One world at a time. */
export function onEveryEngine(
  name: string,
  define: (engine: EngineTests, name: string) => void,
  engines: readonly BookingEngine[] = bookingEngines,
): void {
  for (const engine of engines) {
    // A machine that is shared can be ten times slower than a quiet one.
    describe(`${name} on ${engine.name}`, { timeout: 240_000 }, () => {
      let opened: OpenedEngine | undefined;
      let common: SqlDatabase | undefined;
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
          open: ({ max, spoils = false, ...options } = {}) => {
            if (!opened) throw new Error(`${engine.name} cannot be had here`);
            if (spoils || max !== undefined) {
              const own = opened.database(`booking_${++count}`, max === undefined ? {} : { max });
              return openWorld(own, options);
            }
            common ??= opened.database('booking');
            return openWorld(common, options);
          },
        },
        engine.name,
      );
    });
  }
}
