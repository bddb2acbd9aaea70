/** The editor: the lock of this tab, which phase it is in, and the first render. */
import './look/tokens.css';
import './look/app.css';
import './look/editor.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createProjectLock } from '../../src/browser/project-lock/index.ts';
import { EditorPage } from './editor/editor-page.tsx';
import { keepForOffline } from './editor/keep-for-offline.ts';
import { askRolloutFlag } from './editor/rollout-flag.ts';
import { startTelemetry } from './editor/start-telemetry.ts';
import { startEditorWords } from './editor/words/start-editor-words.ts';
import { addIcons } from './parts/add-icons.ts';

addIcons();
const [flag] = await Promise.all([askRolloutFlag(), startEditorWords()]);
// With all its parts: nothing is loaded later, when the server may be gone.
const lock = createProjectLock();
startTelemetry(lock, flag);
const place = document.getElementById('root');
if (place) {
  createRoot(place).render(
    <StrictMode>
      <EditorPage lock={lock} flag={flag} />
    </StrictMode>,
  );
}
void keepForOffline();
