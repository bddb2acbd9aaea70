/** The payment company of the sandbox: its pages with a button for each outcome, and how its webhooks travel. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SandboxReply, SandboxSession } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';
import { mayAct, useSession } from '../../api/use-session.ts';
import { formatMoney, languageOf } from '../../book/format-booking.ts';
import { type Press, pressesOf } from '../../book/sandbox-presses.ts';
import { bookingLooks } from '../../parts/booking-looks.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { useSandbox } from './use-bookings.ts';

export function SandboxPage() {
  const { t } = useTranslation('bookings');
  const { data, error, refetch } = useSandbox();
  return (
    <>
      <div className="page-h">
        <h1>{t('checkout.title')}</h1>
        <span className="sub">{data && !data.parts.payments ? t('checkout.real') : t('checkout.sub')}</span>
      </div>
      {error && <ProblemNote error={error} onAgain={() => void refetch()} />}
      {data?.parts.payments && (
        <div className="grid g-main">
          <Sessions sessions={data.sessions} />
          <Deliveries now={data.deliveries} />
        </div>
      )}
    </>
  );
}

function Sessions({ sessions }: { readonly sessions: readonly SandboxSession[] }) {
  const { t, i18n } = useTranslation('bookings');
  const language = languageOf(i18n.language);
  const queries = useQueryClient();
  const may = mayAct(useSession().data, 'operator');
  const press = useMutation({
    mutationFn: ({ session, button }: { readonly session: string; readonly button: Press }) =>
      callApi('POST', `/api/v1/sandbox/sessions/${session}`, { press: button }),
    onSettled: () => queries.invalidateQueries(),
  });
  if (sessions.length === 0) {
    return (
      <div className="card empty">
        <h3>{t('checkout.empty')}</h3>
        <p>
          {t('checkout.emptyText')} <a href="/book">{t('customerPage')}</a>
        </p>
      </div>
    );
  }
  return (
    <section className="card">
      <div className="card-h">
        <h2>{t('checkout.sessions')}</h2>
      </div>
      {press.error && <ProblemNote error={press.error} onAgain={() => press.reset()} />}
      <table className="tbl cards">
        <thead>
          <tr>
            <th>{t('checkout.film')}</th>
            <th>{t('checkout.state')}</th>
            <th className="r">{t('checkout.amount')}</th>
            <th>{t('checkout.act')}</th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((row) => (
            <tr key={row.session}>
              <td>
                <Link to="/reservations/$id" params={{ id: String(row.reservationId) }}>
                  {row.title}
                </Link>
              </td>
              <td>
                <SessionState session={row} />
              </td>
              <td className="r" data-l={t('checkout.amount')}>
                {formatMoney(row.amount, row.currency, language)}
              </td>
              <td>
                <span className="row wrap">
                  {pressesOf(row).map((button) => (
                    <button
                      key={button}
                      type="button"
                      className="btn sm"
                      disabled={!may || press.isPending}
                      title={may ? undefined : t('act.needsRole')}
                      onClick={() => press.mutate({ session: row.session, button })}
                    >
                      {t(`checkout.${button}`)}
                    </button>
                  ))}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function SessionState({ session }: { readonly session: SandboxSession }) {
  const { t } = useTranslation('bookings');
  const { status, payment } = session;
  if (status === 'open') return <StateBadge {...bookingLooks.hold} word={t('checkout.open')} />;
  if (status === 'expired') return <StateBadge {...bookingLooks.expired} word={t('checkout.expired')} />;
  return payment === 'paid' ? (
    <StateBadge {...bookingLooks.confirmed} word={t('checkout.paid')} />
  ) : (
    <StateBadge {...bookingLooks.payment_pending} word={t('checkout.waiting')} />
  );
}

const orders = ['kept', 'reversed', 'shuffled'] as const;

function Deliveries({ now }: { readonly now: SandboxReply['deliveries'] }) {
  const { t } = useTranslation('bookings');
  const queries = useQueryClient();
  const may = mayAct(useSession().data, 'operator');
  const [delay, setDelay] = useState(String(now.delayMs / 1_000));
  const [copies, setCopies] = useState(String(now.copies));
  const [order, setOrder] = useState(now.order);
  const [isLost, setLost] = useState(now.isLost);
  const [fails, setFails] = useState('0');
  const save = useMutation({
    mutationFn: () =>
      callApi('POST', '/api/v1/sandbox', {
        deliveries: { delayMs: Math.round(Number(delay) * 1_000), copies: Number(copies), order, isLost },
        failRenders: Number(fails),
      }),
    onSuccess: () => {
      setFails('0');
      return queries.invalidateQueries({ queryKey: ['sandbox'] });
    },
  });
  const number = (id: string, label: string, value: string, set: (value: string) => void, max: number) => (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        className="input"
        id={id}
        type="number"
        min={0}
        max={max}
        value={value}
        onChange={({ target }) => set(target.value)}
      />
    </div>
  );
  return (
    <section className="card">
      <div className="card-h">
        <h2>{t('checkout.deliveries')}</h2>
      </div>
      <form
        className="card-b stack"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        {number('delivery-delay', t('checkout.delay'), delay, setDelay, 600)}
        {number('delivery-copies', t('checkout.copies'), copies, setCopies, 10)}
        <div className="field">
          <label htmlFor="delivery-order">{t('checkout.order')}</label>
          <select
            className="input"
            id="delivery-order"
            value={order}
            onChange={({ target }) => setOrder(orders.find((name) => name === target.value) ?? 'kept')}
          >
            {orders.map((name) => (
              <option key={name} value={name}>
                {t(`checkout.order_${name}`)}
              </option>
            ))}
          </select>
        </div>
        <label className="row">
          <input type="checkbox" checked={isLost} onChange={({ target }) => setLost(target.checked)} />
          {t('checkout.lost')}
        </label>
        {number('delivery-fails', t('checkout.renders'), fails, setFails, 20)}
        {save.error && <ProblemNote error={save.error} onAgain={() => save.mutate()} />}
        <div className="row">
          <button type="submit" className="btn primary" disabled={!may || save.isPending}>
            {t('checkout.save')}
          </button>
          <output>{save.isSuccess && t('checkout.saved')}</output>
        </div>
      </form>
    </section>
  );
}
