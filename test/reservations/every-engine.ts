import { books } from './books.ts';
import { crowds } from './crowds.ts';
import { effectTableSuite } from './effect-table.ts';
import type { EngineSuite } from './engine-suite.ts';
import { priorityCells } from './priority-cells.ts';
import { raceCatalogue } from './race-catalogue.ts';
import { repairsSuite } from './repairs.ts';
import { seedScenarios } from './seed-scenarios.ts';
import { slotLock } from './slot-lock.ts';

/** What holds on every engine. */
export const everyEngine: readonly EngineSuite[] = [
  seedScenarios,
  priorityCells,
  repairsSuite,
  raceCatalogue,
  crowds,
  effectTableSuite,
  slotLock,
  books,
];
