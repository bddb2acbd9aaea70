/**
 * A one-time code becomes a session. The code comes behind the # of the link, which no server and no log sees, and is
 * taken out of the address before it is used.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../api/call-api.ts';
import type { SessionReply } from '../../api/use-session.ts';
import { Mark } from '../../parts/mark.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

export function SignInPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [code, setCode] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationFn: (given: string) => callApi<SessionReply>('POST', '/api/v1/session', { code: given }),
    onSuccess: async (session) => {
      queries.clear();
      queries.setQueryData(['session'], session);
      await navigate({ to: '/' });
    },
  });

  useEffect(() => {
    const redeem = (): void => {
      const given = new URLSearchParams(location.hash.slice(1)).get('code');
      if (!given) return;
      history.replaceState(null, '', location.pathname);
      mutate(given);
    };
    redeem();
    // A link pasted while this page is open changes only the part behind the #.
    addEventListener('hashchange', redeem);
    return () => removeEventListener('hashchange', redeem);
  }, [mutate]);

  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    mutate(code.trim());
  };
  return (
    <main className="door">
      <form className="card" onSubmit={onSubmit}>
        <span className="brand">
          <Mark />
          <b>Kannuki</b>
        </span>
        <h1>{t('signIn.title')}</h1>
        <p className="soft">{t('signIn.text')}</p>
        <div className="field">
          <label htmlFor="code">{t('signIn.code')}</label>
          <input id="code" autoComplete="off" value={code} onChange={(event) => setCode(event.target.value)} required />
        </div>
        {error && <ProblemNote error={error} />}
        <button type="submit" className="btn primary" disabled={isPending}>
          {isPending ? t('signIn.working') : t('signIn.do')}
        </button>
      </form>
    </main>
  );
}
