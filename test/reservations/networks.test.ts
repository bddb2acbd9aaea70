/** Real clients against providers on loopback that break where they are told to. */
import { postgres18 } from './booking-engines.ts';
import { deliveryFaults } from './delivery-faults.ts';
import { runSuites } from './engine-suite.ts';
import { stripeRequests } from './stripe-requests.ts';
import { webhookIntake } from './webhook-intake.ts';

runSuites(postgres18, [stripeRequests, deliveryFaults, webhookIntake]);
