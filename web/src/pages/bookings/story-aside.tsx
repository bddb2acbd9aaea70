import { useTranslation } from 'react-i18next';
import type { StoryReply } from '../../../../src/server/index.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import type { StoryFormats } from './story-entries.ts';

interface StoryAsideProps {
  readonly story: StoryReply['story'];
  readonly formats: StoryFormats;
}

/** The money, which must balance; the mail as the customer read it; the races. */
export function StoryAside(props: StoryAsideProps) {
  return (
    <div className="stack">
      <Money {...props} />
      <LastMail {...props} />
      <Races {...props} />
    </div>
  );
}

function Money({ story, formats }: StoryAsideProps) {
  const { t } = useTranslation('bookings');
  const { time, money } = formats;
  const charged = story.payments.filter(({ chargedAtMs }) => chargedAtMs !== null);
  const paid = charged.reduce((sum, { paidAmount, amount }) => sum + (paidAmount ?? amount), 0);
  const back = story.refunds.filter(({ state }) => state === 'succeeded').reduce((sum, { amount }) => sum + amount, 0);
  const isOpen = story.refunds.some(({ state }) => state !== 'succeeded' && state !== 'superseded');
  return (
    <section className="card">
      <div className="card-h">
        <h2>{t('story.money')}</h2>
        {charged.length > 0 && (
          <span className="push">
            <StateBadge
              state={isOpen ? 'warn' : 'ok'}
              icon={isOpen ? 's-warn' : 's-succeeded'}
              word={isOpen ? t('story.owed') : t('story.balanced')}
            />
          </span>
        )}
      </div>
      {charged.length === 0 ? (
        <div className="card-b mute">{t('story.noMoney')}</div>
      ) : (
        <table className="tbl compact ledger">
          <tbody>
            {charged.map(({ id, chargedAtMs, paidAmount, amount }) => (
              <tr key={`p${id}`}>
                <td>{t('story.chargedRow')}</td>
                <td className="mute xs">{chargedAtMs === null ? '' : time(chargedAtMs)}</td>
                <td className="r">+ {money(paidAmount ?? amount)}</td>
              </tr>
            ))}
            {story.refunds.map(({ id, state, finishedAtMs, amount }) => (
              <tr key={`r${id}`}>
                <td>
                  {t('story.refundRow')}
                  {state !== 'succeeded' && ` (${state})`}
                </td>
                <td className="mute xs">{finishedAtMs === null ? '' : time(finishedAtMs)}</td>
                <td className="r fg" data-state="refunded">
                  − {money(amount)}
                </td>
              </tr>
            ))}
            <tr className="tot">
              <td>{t('story.kept')}</td>
              <td />
              <td className="r">{money(paid - back)}</td>
            </tr>
          </tbody>
        </table>
      )}
    </section>
  );
}

function LastMail({ story }: StoryAsideProps) {
  const { t } = useTranslation('bookings');
  const { locale } = story.reservation;
  const mail = story.mails.findLast(({ state }) => state === 'sent');
  return (
    <section className="card">
      <div className="card-h">
        <h2>{t('story.read')}</h2>
        {mail && <span className="push mute xs">{locale}</span>}
      </div>
      <div className="card-b">
        {mail ? (
          <div className="mailp" lang={locale}>
            <p className="strong">{mail.subject}</p>
            {mail.text.split('\n\n').map((paragraph) => (
              <p key={paragraph}>{paragraph}</p>
            ))}
          </div>
        ) : (
          <span className="mute">{t('story.noMail')}</span>
        )}
      </div>
    </section>
  );
}

function Races({ story, formats }: StoryAsideProps) {
  const { t } = useTranslation('bookings');
  return story.races.map((race) => (
    <section className="card" key={race.id}>
      <div className="card-h">
        <h2>{t('story.races')}</h2>
        <code className="push mute">race_{race.id}</code>
      </div>
      <div className="card-b">
        <dl className="dl">
          <dt>{t('story.kind')}</dt>
          <dd>
            <code>{race.scenario}</code>
          </dd>
          <dt>{t('story.resolved')}</dt>
          <dd>{t(`races.result.${race.resolution}`)}</dd>
          <dt>{t('story.when')}</dt>
          <dd>{formats.time(race.atMs)}</dd>
        </dl>
      </div>
    </section>
  ));
}
