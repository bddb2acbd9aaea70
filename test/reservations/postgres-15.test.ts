import { postgres15 } from './booking-engines.ts';
import { runSuites } from './engine-suite.ts';
import { everyEngine } from './every-engine.ts';

runSuites(postgres15, everyEngine);
