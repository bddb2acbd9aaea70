/** An editor in React, bundled by the test: a text area that saves by itself. */
import { createElement, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { useAutoSave } from '../../../src/react/index.ts';

/** Every phase that was rendered. */
export const seen = [];

function Editor() {
  const [text, setText] = useState('');
  const { snapshot, autosave } = useAutoSave(text, { idleMs: 100, debounceMs: 0 });
  if (seen.at(-1) !== snapshot.phase) seen.push(snapshot.phase);
  const restore = async () => setText((await autosave.restorePrompt())?.document ?? text);
  return createElement(
    'div',
    null,
    createElement('textarea', { value: text, onChange: (event) => setText(event.target.value) }),
    createElement('button', { type: 'button', onClick: restore }, 'Restore'),
    createElement('output', null, `${snapshot.phase}${snapshot.unsaved ? ' unsaved' : ''}`),
  );
}

const root = createRoot(document.body.appendChild(document.createElement('main')));
// Strict mode mounts twice: the second AutoSave waits for the first to give the lock back.
root.render(createElement(StrictMode, null, createElement(Editor)));

export const unmount = () => root.unmount();
