import { expect, it } from 'vitest';
import { decideVideo, printVideoTable, videoEvents, videoStates } from './video-table.ts';

it('done is final, whichever attempt did it', () => {
  for (const event of videoEvents) {
    const ruling = decideVideo('ready', event);
    expect(ruling.kind === 'stay' || ruling.kind === 'refuse', event).toBe(true);
  }
  expect(decideVideo('failed', 'done, older attempt')).toMatchObject({ kind: 'move', to: 'ready' });
});

it('only the newest attempt can fail a video, and only without tries left', () => {
  for (const state of videoStates) {
    for (const event of videoEvents) {
      const ruling = decideVideo(state, event);
      if (ruling.kind !== 'move' || ruling.to !== 'failed') continue;
      expect([state, event]).toEqual(['processing', 'failed, attempt n, no tries left']);
      expect(ruling.window).toBe(true);
    }
  }
  expect(decideVideo('processing', 'failed, attempt n, tries left')).toEqual({ kind: 'again' });
});

it('reads every kind of cell, and does not rule what it does not know', () => {
  expect(decideVideo('pending', 'done, attempt n')).toEqual({ kind: 'unruled' });
  expect(decideVideo('lost' as 'pending', 'done, attempt n')).toEqual({ kind: 'unruled' });
  expect(decideVideo('processing', 'start (attempt n)')).toEqual({ kind: 'stay' });
  expect(decideVideo('ready', 'person restarts')).toEqual({ kind: 'refuse' });
  expect(decideVideo('failed', 'person restarts')).toEqual({ kind: 'move', to: 'processing', window: false });
});

it('is printed as it is stored', () => {
  expect(printVideoTable().split('\n')).toContain('| done, older attempt | ! | ready | = | ready |');
});
