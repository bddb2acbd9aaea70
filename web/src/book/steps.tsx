import { useTranslation } from 'react-i18next';

const names = ['film', 'time', 'pay', 'done'] as const;

/** Where the customer is, from 1. */
export function Steps({ now }: { readonly now: 1 | 2 | 3 | 4 }) {
  const { t } = useTranslation('book');
  return (
    <ol className="steps" aria-label={t('steps.name')}>
      {names.map((name, index) => {
        const number = index + 1;
        const isOn = number === now;
        return (
          <li key={name} className={number < now ? 'ok' : isOn ? 'on' : ''} {...(isOn && { 'aria-current': 'step' })}>
            <b>{number < now ? '✓' : number}</b>
            <span>{t(`steps.${name}`)}</span>
          </li>
        );
      })}
    </ol>
  );
}
