import type { ReactNode } from 'react';
import { Icon } from '../parts/icon.tsx';

/** What happened, then why and what comes next. `said` makes a screen reader say it at once. */
export function Note(props: {
  readonly state: 'warn' | 'info' | 'critical';
  readonly title: string;
  readonly text?: string;
  readonly said?: boolean;
  readonly children?: ReactNode;
}) {
  const { state, title, text, said = false, children } = props;
  return (
    <div className="note" data-state={state} {...(said && { role: 'alert' })}>
      <Icon name={`s-${state}`} />
      <div>
        <strong>{title}</strong>
        {text !== undefined && <p>{text}</p>}
      </div>
      {children && <div className="acts">{children}</div>}
    </div>
  );
}
