import { createElement, type ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, it } from 'vitest';
import { useAutoSave } from './use-auto-save.ts';

function Editor(): ReactNode {
  const { snapshot, autosave } = useAutoSave('text');
  return createElement('p', null, `${snapshot.phase} ${autosave}`);
}

/** What it does in a page is in test/browser/autosave. */
it('renders on a server, where nothing is saved and no lock is asked for', () => {
  expect(renderToString(createElement(Editor))).toBe('<p>disabled null</p>');
});
