import { describe, expect, it } from 'vitest';
import { decideRuling, reservationEvents, reservationStates } from './priority-table.ts';
import { reservationMoves } from './reservation-moves.ts';
import { type ContendingState, resolveConflict } from './resolve-conflict.ts';
import { videoStates } from './video-table.ts';

describe('resolveConflict', () => {
  it.each([
    ['hold', 'expired', 'expired', false],
    ['expired', 'confirmed', 'expired', true],
    ['confirmed', 'cancelled', 'cancelled', true],
    ['processing', 'failed', 'processing', false],
  ] as const)('%s vs %s → %s', (a, b, winner, refund) => {
    expect(resolveConflict(a, b)).toMatchObject({ winner, refund });
    expect(resolveConflict(b, a)).toMatchObject({ winner, refund });
  });

  it('processing yields to failed when no try is left', () => {
    const noTryLeft = { retryable: false };
    expect(resolveConflict('processing', 'failed', noTryLeft)).toMatchObject({ winner: 'failed', refund: false });
    expect(resolveConflict('processing', 'failed', { retryable: true })).toMatchObject({ winner: 'processing' });
    // It decides nothing else.
    expect(resolveConflict('processing', 'pending', noTryLeft)).toMatchObject({ winner: 'processing' });
    expect(resolveConflict('ready', 'failed', noTryLeft)).toMatchObject({ winner: 'ready' });
    expect(resolveConflict('hold', 'confirmed', noTryLeft)).toMatchObject({ winner: 'confirmed' });
  });

  it('rules every pair of the same kind, whoever is named first', () => {
    for (const states of [reservationMoves.states, videoStates] as readonly (readonly ContendingState[])[]) {
      for (const a of states) {
        for (const b of states) {
          const resolution = resolveConflict(a, b);
          expect(resolution, `${a} vs ${b}`).toBeDefined();
          expect([a, b]).toContain(resolution?.winner);
          if (a === b) expect(resolution).toMatchObject({ winner: a, refund: false });
          expect(resolveConflict(b, a)).toEqual(resolution);
        }
      }
    }
  });

  it('does not compare a reservation with a video', () => {
    expect(resolveConflict('confirmed', 'processing')).toBeUndefined();
  });

  it('never contradicts the priority table: what an event moves to, wins over where it came from', () => {
    for (const event of reservationEvents) {
      for (const state of reservationStates) {
        const ruling = decideRuling(state, event);
        if (ruling.kind !== 'move') continue;
        const from = state === 'overdue' ? 'hold' : state;
        expect(resolveConflict(from, ruling.to)?.winner, `${event} × ${state}`).toBe(ruling.to);
      }
    }
  });
});
