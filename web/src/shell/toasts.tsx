/** What just came of an act: at most three, five seconds each, still while somebody looks at them. */
import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../parts/icon.tsx';

interface Toast {
  readonly id: number;
  readonly text: ReactNode;
  readonly state: 'ok' | 'warn';
}

type Say = (text: ReactNode, state?: Toast['state']) => void;

const ToastContext = createContext<Say>(() => {});

export function useToast(): Say {
  return useContext(ToastContext);
}

export function Toasts({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  const [shown, setShown] = useState<readonly Toast[]>([]);
  const last = useRef(0);
  const isWatched = useRef(false);
  const drop = useCallback((id: number) => setShown((toasts) => toasts.filter((toast) => toast.id !== id)), []);
  const say = useCallback<Say>(
    (text, state = 'ok') => {
      const id = ++last.current;
      setShown((toasts) => [...toasts.slice(-2), { id, text, state }]);
      const timer = setInterval(() => {
        if (isWatched.current) return;
        clearInterval(timer);
        if (state === 'ok') drop(id);
      }, 5_000);
    },
    [drop],
  );
  const watch = useMemo(
    () => ({
      onPointerEnter: () => {
        isWatched.current = true;
      },
      onPointerLeave: () => {
        isWatched.current = false;
      },
    }),
    [],
  );
  return (
    <ToastContext value={say}>
      {children}
      <div className="toasts floating" role="status" {...watch}>
        {shown.map(({ id, text, state }) => (
          <div key={id} className="toast" data-state={state}>
            <Icon name={state === 'ok' ? 's-succeeded' : 's-warn'} />
            <div>{text}</div>
            <button type="button" className="btn icon sm ghost" aria-label={t('act.dismiss')} onClick={() => drop(id)}>
              <Icon name="x" small />
            </button>
          </div>
        ))}
      </div>
    </ToastContext>
  );
}
