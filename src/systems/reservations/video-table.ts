/**
 * Who wins at the renderer: done is final, whichever attempt did it; processing beats failed while tries are left.
 * Cells read like those of the priority table; `again` is another attempt.
 */

export const videoStates = ['pending', 'processing', 'ready', 'failed'] as const;
export type VideoState = (typeof videoStates)[number];

export const videoEvents = [
  'start (attempt n)',
  'done, attempt n',
  'done, older attempt',
  'failed, attempt n, tries left',
  'failed, attempt n, no tries left',
  'failed, older attempt',
  'person restarts',
  'reservation cancelled',
] as const;
export type VideoEvent = (typeof videoEvents)[number];

export const videoTable: Readonly<Record<VideoEvent, readonly [string, string, string, string]>> = {
  'start (attempt n)': ['processing', '=', '=', 'processing'],
  'done, attempt n': ['!', 'ready', '=', 'ready'],
  'done, older attempt': ['!', 'ready', '=', 'ready'],
  'failed, attempt n, tries left': ['!', 'again', '=', '='],
  'failed, attempt n, no tries left': ['!', 'failed +window', '=', '='],
  'failed, older attempt': ['!', '=', '=', '='],
  'person restarts': ['processing', '=', 'refuse', 'processing'],
  'reservation cancelled': ['=', '=', '=', '='],
};

export type VideoRuling =
  | { readonly kind: 'move'; readonly to: VideoState; readonly window: boolean }
  | { readonly kind: 'again' }
  | { readonly kind: 'stay' }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'unruled' };

export function decideVideo(state: VideoState, event: VideoEvent): VideoRuling {
  const [word, effect] = (videoTable[event][videoStates.indexOf(state)] ?? '!').split(' +');
  if (word === '!') return { kind: 'unruled' };
  if (word === '=') return { kind: 'stay' };
  if (word === 'again' || word === 'refuse') return { kind: word };
  return { kind: 'move', to: word as VideoState, window: effect === 'window' };
}

export function printVideoTable(): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(['event', ...videoStates]),
    line(Array.from({ length: videoStates.length + 1 }, () => '---')),
    ...videoEvents.map((event) => line([event, ...videoTable[event]])),
    '',
  ].join('\n');
}
