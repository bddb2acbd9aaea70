import { Button } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { ApiProblem } from '../api/api-problem.ts';
import { Icon } from './icon.tsx';

/** What failed, why, and one button. */
export function ProblemNote({ error, onAgain }: { readonly error: Error; readonly onAgain?: () => void }) {
  const { t } = useTranslation();
  return (
    <div className="note" data-state="critical" role="alert">
      <Icon name="s-critical" />
      <div>
        <strong>{t('problem.title')}</strong>
        <p>
          {error.message} {error instanceof ApiProblem && <code className="xs">{error.code}</code>}
        </p>
      </div>
      {onAgain && (
        <div className="acts">
          <Button className="btn sm" onPress={onAgain}>
            {t('problem.again')}
          </Button>
        </div>
      )}
    </div>
  );
}
