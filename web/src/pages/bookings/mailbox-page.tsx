/** The mails of the sandbox: a list, and the chosen one as the customer would read it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MailsReply } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';
import { mayAct, useSession } from '../../api/use-session.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { formatMoment } from '../../parts/format-time.ts';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useMails, useSandbox } from './use-bookings.ts';

export function MailboxPage() {
  const { t, i18n } = useTranslation('bookings');
  const { data, error, refetch, hasNextPage, fetchNextPage } = useMails();
  const { data: sandbox } = useSandbox();
  const [chosen, setChosen] = useState<number>();
  const mails = data?.pages.flatMap((page) => page.mails) ?? [];
  const mail = mails.find(({ id }) => id === chosen) ?? mails[0];
  const isReal = sandbox && !sandbox.parts.mail;
  return (
    <>
      <div className="page-h">
        <h1>{t('mailbox.title')}</h1>
        <span className="sub">{isReal ? t('mailbox.real') : t('mailbox.sub')}</span>
      </div>
      {error && <ProblemNote error={error} onAgain={() => void refetch()} />}
      {data && mails.length === 0 && (
        <div className="card empty">
          <h3>{t('mailbox.empty')}</h3>
          <p>{t('mailbox.emptyText')}</p>
        </div>
      )}
      {mail && (
        <div className="grid g-main">
          <section className="card">
            <div className="card-h">
              <h2>{t('mailbox.list')}</h2>
            </div>
            <ul className="mails">
              {mails.map(({ id, subject, to, atMs, locale }) => (
                <li key={id}>
                  <button type="button" aria-pressed={id === mail.id} onClick={() => setChosen(id)}>
                    <b lang={locale}>{subject}</b>
                    <span className="mute xs">{t('mailbox.to', { to })}</span>
                    <time className="mute xs" dateTime={new Date(atMs).toISOString()}>
                      {formatMoment(atMs, i18n.language)}
                    </time>
                  </button>
                </li>
              ))}
            </ul>
            {hasNextPage && (
              <div className="card-f">
                <button type="button" className="btn sm" onClick={() => void fetchNextPage()}>
                  {t('more')}
                </button>
              </div>
            )}
          </section>
          <section className="card" aria-live="polite">
            <div className="card-h">
              <h2 lang={mail.locale}>{mail.subject}</h2>
            </div>
            <div className="card-b">
              <p className="mute xs">
                {t('mailbox.to', { to: mail.to })} · <span className="chip">{mail.template}</span> ·{' '}
                {t('mailbox.copies', { count: mail.copies })}
              </p>
              <div className="mailp below" lang={mail.locale}>
                {mail.text
                  .trim()
                  .split('\n\n')
                  .map((paragraph) => (
                    <p key={paragraph}>{paragraph}</p>
                  ))}
              </div>
              <MailActs key={mail.id} mail={mail} />
              <p className="mute xs below">
                <code>{mail.messageId}</code>
              </p>
            </div>
          </section>
        </div>
      )}
    </>
  );
}

/** What it is about, and once more. */
function MailActs({ mail }: { readonly mail: MailsReply['mails'][number] }) {
  const { t } = useTranslation('bookings');
  const queries = useQueryClient();
  const may = mayAct(useSession().data, 'operator');
  const [isAsking, setAsking] = useState(false);
  const { notificationId, reservationId, subject, to } = mail;
  const again = useMutation({
    mutationFn: () => callApi('POST', `/api/v1/notifications/${notificationId}/again`, {}),
    onSuccess: () => setAsking(false),
    onSettled: () => queries.invalidateQueries({ queryKey: ['mails'] }),
  });
  if (notificationId === null || reservationId === null) return null;
  return (
    <div className="row wrap below">
      <button
        type="button"
        className="btn sm"
        disabled={!may}
        title={may ? undefined : t('act.needsRole')}
        onClick={() => setAsking(true)}
      >
        <Icon name="mail" />
        {t('mailbox.again')}
      </button>
      <Link className="btn sm ghost" to="/reservations/$id" params={{ id: String(reservationId) }}>
        {t('mailbox.story')}
      </Link>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('act.mailTitle', { subject })}
        text={t('mailbox.againText', { to })}
        keepLabel={t('act.mailKeep')}
        doLabel={t('act.mailDo')}
        busy={again.isPending}
        problem={again.error}
        onDo={() => again.mutate()}
      />
    </div>
  );
}
