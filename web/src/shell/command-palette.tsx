/** Search or jump: pages, jobs, a run by its number, a few acts. All by keyboard. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ParseKeys } from 'i18next';
import { type KeyboardEvent, useId, useState } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import type { ListJobsReply } from '../../../src/server/index.ts';
import { callAllPages } from '../api/call-all-pages.ts';
import { Icon } from '../parts/icon.tsx';
import { allPages } from './pages.ts';

export interface PaletteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onPause: () => void;
  readonly onTheme: () => void;
  readonly onKeys: () => void;
}

interface Choice {
  readonly id: string;
  readonly group: string;
  readonly icon: string;
  readonly text: string;
  readonly go: () => void;
}

const shownMax = 30;

export function CommandPalette(props: PaletteProps) {
  const { isOpen, onClose } = props;
  const { t } = useTranslation();
  return (
    <ModalOverlay className="scrim high" isOpen={isOpen} isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className="dialog palette">
        <Dialog aria-label={t('find.label')}>
          <Palette {...props} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Palette(props: PaletteProps) {
  const { onClose } = props;
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const choices = useChoices(props, text);
  const chosen = choices[Math.min(at, choices.length - 1)];
  const take = (choice: Choice | undefined): void => {
    if (!choice) return;
    onClose();
    choice.go();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((now) => (Math.min(now, choices.length - 1) + step + choices.length) % Math.max(choices.length, 1));
    }
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) take(chosen);
  };
  return (
    <>
      <div className="palette-in">
        <Icon name="search" />
        <input
          // biome-ignore lint/a11y/noAutofocus: a dialog that was opened to type in begins in its field.
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen && `${id}-${chosen.id}`}
          aria-label={t('find.label')}
          placeholder={t('find.placeholder')}
          maxLength={200}
          value={text}
          onKeyDown={onKeyDown}
          onChange={({ target }) => {
            setText(target.value);
            setAt(0);
          }}
        />
        <kbd>Esc</kbd>
      </div>
      <div className="palette-list" id={`${id}-list`} role="listbox" aria-label={t('find.label')}>
        {choices.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above moves among the choices by keys.
          <div
            key={choice.id}
            id={`${id}-${choice.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={choice === chosen}
            onClick={() => take(choice)}
          >
            <Icon name={choice.icon} />
            <span className="clip">{choice.text}</span>
            {choices[index - 1]?.group !== choice.group && <span className="push mute xs">{choice.group}</span>}
          </div>
        ))}
      </div>
      {choices.length === 0 && (
        <p className="palette-none" role="status">
          {t('find.none', { text })}
        </p>
      )}
    </>
  );
}

function useChoices({ onPause, onTheme, onKeys }: PaletteProps, text: string): readonly Choice[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: jobs = [] } = useQuery({
    queryKey: ['jobs'],
    queryFn: async () => (await callAllPages<ListJobsReply>('/api/v1/jobs?limit=1000')).flatMap(({ jobs }) => jobs),
  });
  const wanted = text.trim().toLowerCase();
  const groups = { pages: t('find.pages'), jobs: t('find.jobs'), acts: t('find.acts') };
  const all: Choice[] = [
    ...allPages.map(({ to, icon, word }) => ({
      id: `page${to.replaceAll('/', '-')}`,
      group: groups.pages,
      icon,
      text: t(word as ParseKeys),
      go: () => void navigate({ to }),
    })),
    {
      id: 'failed',
      group: groups.acts,
      icon: 's-failed',
      text: t('find.failed'),
      go: () => void navigate({ to: '/runs', search: { state: 'failed,timed-out', due: '24h' } }),
    },
    { id: 'pause', group: groups.acts, icon: 'pause', text: t('find.pause'), go: onPause },
    { id: 'theme', group: groups.acts, icon: 'sun', text: t('find.theme'), go: onTheme },
    { id: 'keys', group: groups.acts, icon: 'more', text: t('find.keys'), go: onKeys },
    ...jobs.map(({ name }, index) => ({
      id: `job-${index}`,
      group: groups.jobs,
      icon: 'jobs',
      text: t('find.runsOf', { job: name }),
      go: () => void navigate({ to: '/runs', search: { job: name } }),
    })),
  ];
  const found = all.filter((choice) => choice.text.toLowerCase().includes(wanted));
  if (/^\d{1,15}$/.test(wanted)) {
    found.unshift({
      id: 'run',
      group: t('nav.runs'),
      icon: 'runs',
      text: t('find.run', { id: wanted }),
      go: () => void navigate({ to: '/runs/$id', params: { id: wanted } }),
    });
  }
  return found.slice(0, shownMax);
}
