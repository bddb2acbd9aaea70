import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isDeclared } from '../../core/transition.ts';
import {
  decideRuling,
  printPriorityTable,
  priorityTable,
  type ReservationStatus,
  reservationEvents,
  reservationStates,
} from './priority-table.ts';
import { reservationMoves } from './reservation-moves.ts';
import { printVideoTable } from './video-table.ts';

const pairs = reservationEvents.flatMap((event) => reservationStates.map((state) => ({ event, state })));
const stored = (state: string): ReservationStatus => (state === 'overdue' ? 'hold' : state) as ReservationStatus;

describe('the priority table', () => {
  it('is the table of the explored model, cell by cell', async () => {
    // The model checks itself when it is loaded, and prints; only its data is wanted here.
    const model = (await import('../../../test/models/priority.mjs' as string)) as {
      readonly STATES: readonly string[];
      readonly TABLE: Readonly<Record<string, string>>;
    };
    expect(reservationStates).toEqual(model.STATES);
    const ours = Object.fromEntries(Object.entries(priorityTable).map(([event, row]) => [event, [...row]]));
    const theirs = Object.entries(model.TABLE).map(([event, row]) => [
      event,
      row.split('|').map((cell) => cell.trim()),
    ]);
    expect(ours).toEqual(Object.fromEntries(theirs));
  });

  it('has 25 events and 8 states, and every one of the 200 pairs is ruled', () => {
    expect(pairs).toHaveLength(200);
    for (const { event, state } of pairs) expect(decideRuling(state, event).kind, `${event} × ${state}`).toBeTruthy();
  });

  it.each(pairs)('$event × $state: moves only where a move is declared, and ends are final', ({ event, state }) => {
    const ruling = decideRuling(state, event);
    if (ruling.kind !== 'move') return;
    expect(ruling.to).not.toBe(stored(state));
    expect(isDeclared(reservationMoves, stored(state), ruling.to)).toBe(true);
    expect(['served', 'expired', 'cancelled']).not.toContain(state);
  });

  it.each([
    ['hold', 'paid (charged late)', { kind: 'unruled' }],
    ['hold', 'render ready', { kind: 'stay' }],
    ['hold', 'async payment failed', { kind: 'stay', effect: 'mail' }],
    ['hold', 'second payment for it', { kind: 'stay', effect: 'refund 2nd' }],
    ['hold', 'paid (charged in time)', { kind: 'move', to: 'confirmed' }],
    ['overdue', 'paid (charged late)', { kind: 'move', to: 'expired', effect: 'refund' }],
    ['expired', 'paid (charged in time)', { kind: 'late-money' }],
    ['cancelled', 'user cancels', { kind: 'tell', answer: 'ok' }],
    ['served', 'user cancels', { kind: 'tell', answer: 'refuse' }],
    ['hold', 'hold again, same key', { kind: 'tell', answer: 'replay' }],
    ['hold', 'hold by another', { kind: 'tell', answer: 'taken' }],
    ['overdue', 'hold by another', { kind: 'tell', answer: 'settling' }],
    ['expired', 'hold by another', { kind: 'tell', answer: 'free' }],
  ] as const)('reads %s × %s as %j', (state, event, ruling) => {
    expect(decideRuling(state, event)).toEqual(ruling);
  });

  it('does not rule what it does not know: a state from elsewhere changes nothing', () => {
    expect(decideRuling('lost' as ReservationStatus, 'user cancels')).toEqual({ kind: 'unruled' });
  });

  it('gives all money an end', () => {
    for (const state of ['expired', 'cancelled'] as const) {
      for (const event of ['paid (charged in time)', 'paid (charged late)'] as const) {
        const ruling = decideRuling(state, event);
        expect(ruling.kind === 'late-money' || (ruling.kind === 'stay' && ruling.effect === 'refund')).toBe(true);
      }
    }
    for (const event of reservationEvents) {
      const ruling = decideRuling('confirmed', event);
      if (ruling.kind !== 'move' || ruling.to !== 'cancelled') continue;
      expect(['refund', 'adopt'], event).toContain(ruling.effect);
    }
  });

  it('leaves no session open', () => {
    for (const { event, state } of pairs) {
      const ruling = decideRuling(state, event);
      if (ruling.kind !== 'move' || ruling.to !== 'cancelled' || state === 'confirmed') continue;
      expect(ruling.effect, `${event} × ${state}`).toBe('close');
    }
  });

  it('is printed as it is stored', () => {
    const lines = printPriorityTable().trimEnd().split('\n');
    expect(lines).toHaveLength(27);
    expect(lines[0]).toBe(`| event | ${reservationStates.join(' | ')} |`);
    expect(lines).toContain('| hold by another | taken | settling | settling | taken | taken | taken | free | free |');
  });

  it('stands in the documentation as it is; `node scripts/print-tables.mjs` puts it there', () => {
    const page = readFileSync(new URL('../../../docs/reservations.md', import.meta.url), 'utf8');
    expect(page).toContain(`<!-- priority-table -->\n\n${printPriorityTable()}\n<!-- /priority-table -->`);
    expect(page).toContain(`<!-- video-table -->\n\n${printVideoTable()}\n<!-- /video-table -->`);
  });
});
