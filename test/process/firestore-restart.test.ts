/** The server of a held lease goes away and comes back: its holder stops in time, and no fenced write overlaps. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FirestoreServer, startFirestore } from '../servers/firestore-server.ts';
import { reportComponent } from '../servers/report-component.ts';
import { faultRounds, reportFault } from './fault-rounds.ts';
import { createFleet } from './fleet.ts';
import { repeatRounds } from './repeat-rounds.ts';

const rounds = faultRounds('FIRESTORE_RESTART', 1);
const ttlMs = 3_000;

describe('Firestore restarted while a lease is held', () => {
  let server: FirestoreServer;
  let missing = '';
  beforeAll(async () => {
    try {
      server = await startFirestore();
      reportComponent({ component: 'Firestore emulator (restart)', status: 'took part' });
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('is not installed'))) throw error;
      missing = error.message;
      const component = 'Firestore emulator (restart)';
      reportComponent({ component, status: 'skipped', reason: missing, avoidable: false });
    }
  });
  beforeEach(({ skip }) => skip(missing !== '', missing));
  afterAll(async () => {
    if (missing === '') await server.stop();
  });

  it(`${rounds} × killed and brought back: the next holder’s number is higher, the late write is refused`, {
    timeout: 1_800_000,
  }, async () => {
    await using fleet = createFleet();
    const store = { kind: 'firestore', host: server.host, projectId: server.projectId } as const;
    let kept = 0;
    const { late: lateRounds } = await repeatRounds(rounds, async (name) => {
      const key = `restart-${name}`;
      const first = await fleet.start({ store, ttlMs });
      const before = await first.ask<{ token: number; claimed: boolean }>({ command: 'hold', key });
      expect(before.claimed).toBe(true);
      await server.restart();
      const second = await fleet.start({ store, ttlMs });
      const state = await first.ask<{ held: boolean }>({ command: 'state' });
      // The first may have renewed in time; it then holds by right until it is stopped.
      if (state.held) kept += 1;
      first.signal('SIGSTOP');
      const after = await second.ask<{ token: number; value: number }>({ command: 'hold', key });
      expect(after.token).toBeGreaterThan(before.token);
      expect((await second.ask<{ written: boolean }>({ command: 'write', key })).written).toBe(true);
      first.signal('SIGCONT');
      expect((await first.ask<{ written: boolean }>({ command: 'writeLate', key })).written).toBe(false);
      await Promise.all([first.kill(), second.kill()]);
    });
    reportFault({
      experiment: 'firestore-restart',
      rounds,
      lateRounds,
      ttlMs,
      lateWritesRefused: rounds,
      heldOverTheRestart: kept,
    });
  });
});
