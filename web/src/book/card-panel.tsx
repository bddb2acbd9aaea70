import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BookingSessionReply } from '../../../src/server/index.ts';
import { Field } from './field.tsx';
import { formatMoney, languageOf } from './format-booking.ts';
import { Note } from './note.tsx';
import type { SeenReservation } from './use-booking.ts';
import { usePay } from './use-pay.ts';

/** Practice cards that are declined end like this. */
const declinedEnd = '0002';

/** The payment of a kept time. In practice the card decides what happens; it never leaves the page. */
export function CardPanel({
  session,
  reservation,
}: {
  readonly session: BookingSessionReply;
  readonly reservation: SeenReservation;
}) {
  const { t, i18n } = useTranslation('book');
  const language = languageOf(i18n.language);
  const [number, setNumber] = useState('4242 4242 4242 4242');
  const [expires, setExpires] = useState('08 / 29');
  const [code, setCode] = useState('');
  const pay = usePay(reservation.id, language);
  const amount = formatMoney(reservation.amount, reservation.currency, language);
  const isBusy = pay.isPending || pay.data === 'away';
  const press = number.replace(/\D/g, '').endsWith(declinedEnd) ? 'fail' : 'pay';
  return (
    <section className="panel">
      <h2>{t('pay.card')}</h2>
      {session.sandbox ? (
        <>
          <div className="form">
            <Field
              id="card-number"
              label={t('pay.number')}
              value={number}
              onChange={setNumber}
              maxLength={23}
              inputMode="numeric"
              full
            />
            <Field id="card-expires" label={t('pay.expires')} value={expires} onChange={setExpires} maxLength={7} />
            <Field
              id="card-code"
              label={t('pay.code')}
              value={code}
              onChange={setCode}
              maxLength={4}
              inputMode="numeric"
              placeholder={t('pay.codeHint')}
            />
          </div>
          <p className="fine">{t('pay.practiceNote')}</p>
        </>
      ) : (
        <p className="fine">{t('pay.away')}</p>
      )}
      {pay.data === 'declined' && <Note state="critical" said title={t('pay.declined')} text={t('pay.declinedText')} />}
      {pay.error && <Note state="warn" said title={t('refused.title')} text={pay.error.message} />}
      <div className="top-gap">
        <button type="button" className="btn primary big" disabled={isBusy} onClick={() => pay.mutate(press)}>
          {isBusy ? t('pay.doing') : t('pay.do', { amount })}
        </button>
      </div>
      {session.sandbox && (
        <div className="below">
          <button type="button" className="btn wide" disabled={isBusy} onClick={() => pay.mutate('later')}>
            {t('pay.later')}
          </button>
        </div>
      )}
      <Note state="info" title={t('pay.runsOut')} text={t('pay.runsOutText')} />
    </section>
  );
}
