import { alertsSuite } from './alerts.ts';
import { pglite } from './booking-engines.ts';
import { runSuites } from './engine-suite.ts';
import { everyEngine } from './every-engine.ts';

runSuites(pglite, [...everyEngine, alertsSuite]);
