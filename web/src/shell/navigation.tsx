import { Link } from '@tanstack/react-router';
import type { ParseKeys } from 'i18next';
import { useState } from 'react';
import { Button, Dialog, DialogTrigger, Modal, ModalOverlay } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { Icon } from '../parts/icon.tsx';
import { Mark } from '../parts/mark.tsx';
import { allPages, type PageGroup, pageGroups } from './pages.ts';

export interface NavigationProps {
  /** What stands beside a page's name, by its path. */
  readonly counts: Readonly<Record<string, { readonly count: number; readonly state: string }>>;
}

export function SideBar({ counts }: NavigationProps) {
  const { t } = useTranslation();
  return (
    <aside className="side">
      <Link className="brand" to="/">
        <Mark />
        Kannuki <small>閂</small>
      </Link>
      <nav className="nav" aria-label={t('app.pages')}>
        <PageLinks counts={counts} />
      </nav>
      <div className="side-foot nav">
        <OtherPages />
      </div>
    </aside>
  );
}

function PageLinks({ counts, onGo }: NavigationProps & { readonly onGo?: () => void }) {
  const { t } = useTranslation();
  return pageGroups.map((group: PageGroup) => (
    <div key={group.word ?? ''}>
      {group.word !== undefined && <div className="nav-h">{t(group.word as ParseKeys)}</div>}
      {group.pages.map(({ to, icon, word }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/' }} onClick={() => onGo?.()}>
          <Icon name={icon} />
          {t(word as ParseKeys)}
          {counts[to] && (
            <span className="count" data-state={counts[to].state}>
              {counts[to].count}
            </span>
          )}
        </Link>
      ))}
    </div>
  ));
}

/** Pages of their own, with another skin: they are loaded anew. */
function OtherPages() {
  const { t } = useTranslation();
  const others = [
    ['/editor', 'edit', 'nav.editor'],
    ['/book', 'ticket', 'nav.book'],
  ] as const;
  return others.map(([href, icon, word]) => (
    <a key={href} href={href}>
      <Icon name={icon} />
      {t(word)}
      <span className="push">
        <Icon name="ext" small />
      </span>
    </a>
  ));
}

export function TabBar({ counts }: NavigationProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <nav className="tabbar" aria-label={t('app.mainPages')}>
      {allPages
        .filter(({ tab }) => tab)
        .map(({ to, icon, word }) => (
          <Link key={to} to={to} activeOptions={{ exact: to === '/' }}>
            <Icon name={icon} />
            {t(word as ParseKeys)}
            {counts[to] && (
              <span className="count" data-state={counts[to].state}>
                {counts[to].count}
              </span>
            )}
          </Link>
        ))}
      <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
        <Button className="tab-more">
          <Icon name="more" />
          {t('nav.more')}
        </Button>
        <ModalOverlay className="scrim sheet" isDismissable>
          <Modal className="dialog">
            <Dialog aria-label={t('app.pages')} className="nav">
              <PageLinks counts={counts} onGo={() => setOpen(false)} />
              <OtherPages />
            </Dialog>
          </Modal>
        </ModalOverlay>
      </DialogTrigger>
    </nav>
  );
}
