import { type Storyboard, storyboardText } from './storyboard.ts';

/** The text as a file of the reader's own: it needs no lock and no storage of the page. */
export function downloadCopy(board: Storyboard): void {
  const url = URL.createObjectURL(new Blob([storyboardText(board)], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${board.title.replace(/[^\p{L}\p{N} _-]/gu, '').slice(0, 80) || 'storyboard'}.txt`;
  link.click();
  URL.revokeObjectURL(url);
}
