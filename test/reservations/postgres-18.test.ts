import { postgres18 } from './booking-engines.ts';
import { runSuites } from './engine-suite.ts';
import { everyEngine } from './every-engine.ts';
import { paymentPermutations } from './payment-permutations.ts';

runSuites(postgres18, [...everyEngine, paymentPermutations]);
