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

it('is printed as it is stored', () => {
  expect(printVideoTable().split('\n')).toContain('| done, older attempt | ! | ready | = | ready |');
});
