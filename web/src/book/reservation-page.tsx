import { useTranslation } from 'react-i18next';
import type { BookingSessionReply } from '../../../src/server/index.ts';
import { ApiProblem } from '../api/api-problem.ts';
import { ProblemNote } from '../parts/problem-note.tsx';
import { HoldView } from './hold-view.tsx';
import { OutcomeView } from './outcome-view.tsx';
import { PlaceLink } from './place-link.tsx';
import { useReservation } from './use-booking.ts';

/** One booking, whatever has become of it. */
export function ReservationPage({ session, id }: { readonly session: BookingSessionReply; readonly id: number }) {
  const { t } = useTranslation('book');
  const { data, error, refetch } = useReservation(id);
  if (error instanceof ApiProblem && error.status === 404) {
    return (
      <section className="panel top-gap">
        <h1>{t('notFound.title')}</h1>
        <p className="lead">{t('notFound.text')}</p>
        <div className="btns">
          <PlaceLink className="btn" to="/book">
            {t('none.do')}
          </PlaceLink>
        </div>
      </section>
    );
  }
  if (!data) return error ? <ProblemNote error={error} onAgain={() => void refetch()} /> : <div className="waiting" />;
  const { state } = data;
  return state === 'kept' ? (
    <HoldView session={session} reservation={data} />
  ) : (
    <OutcomeView session={session} reservation={data} state={state} />
  );
}
