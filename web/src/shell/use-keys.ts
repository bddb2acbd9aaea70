import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { allPages } from './pages.ts';

export interface ShellKeys {
  readonly onPalette: () => void;
  readonly onPause: () => void;
  readonly onHelp: () => void;
}

/** How long after G the second key may come. */
const secondKeyMs = 1_500;
/** Not 0: the page's clock begins there, and a page that is a second old would take any key for a second one. */
const never = Number.NEGATIVE_INFINITY;

/** Single keys are off while somebody types, and inside dialogs. */
export function useKeys({ onPalette, onPause, onHelp }: ShellKeys): void {
  const navigate = useNavigate();
  const goneAtMs = useRef(never);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onPalette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event)) return;
      const page = allPages.find(({ key }) => key === event.key);
      if (page && performance.now() - goneAtMs.current < secondKeyMs) {
        goneAtMs.current = never;
        event.preventDefault();
        void navigate({ to: page.to });
      } else if (event.key === 'g') goneAtMs.current = performance.now();
      else if (event.key === 'p') onPause();
      else if (event.key === '?') onHelp();
      else if (event.key === '/') {
        const field = document.querySelector<HTMLInputElement>('#main search input, #main [role=search] input');
        if (!field) return;
        event.preventDefault();
        field.focus();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate, onPalette, onPause, onHelp]);
}

export function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type=checkbox]), textarea, select, [role=dialog], [role=alertdialog]') !== null
  );
}
