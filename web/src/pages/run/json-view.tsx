import { Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';

const shownMax = 20;
const hiddenMark = /^\[hidden: (.*)\]$/s;

/** JSON with its names coloured and what is hidden marked; long ones are folded. */
export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const lines = JSON.stringify(value, null, 2).split('\n');
  const shown = isOpen ? lines : lines.slice(0, shownMax);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys. */}
      <section className="json" aria-label={label} tabIndex={0}>
        {shown.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and none moves.
          <Fragment key={at}>
            <Line text={line} />
            {'\n'}
          </Fragment>
        ))}
      </section>
      {lines.length > shownMax && (
        <button type="button" className="linkish xs" onClick={() => setOpen(!isOpen)}>
          {isOpen ? t('run.collapse') : t('run.expand', { count: lines.length })}
        </button>
      )}
    </>
  );
}

function Line({ text }: { readonly text: string }) {
  const [, space = '', name, rest = ''] = /^(\s*)("(?:[^"\\]|\\.)*")?(.*)$/s.exec(text) ?? [];
  const isName = name !== undefined && rest.startsWith(':');
  const value = /^(: |)"((?:[^"\\]|\\.)*)"(,?)$/s.exec(isName ? rest : `${name ?? ''}${rest}`);
  const hidden = hiddenMark.exec(value?.[2] ?? '')?.[1];
  return (
    <>
      {space}
      {isName && <span className="k">{name}</span>}
      {hidden === undefined ? (
        isName ? (
          rest
        ) : (
          `${name ?? ''}${rest}`
        )
      ) : (
        <>
          {value?.[1]}
          <span className="redact">hidden: {hidden}</span>
          {value?.[3]}
        </>
      )}
    </>
  );
}

export function hasHidden(value: unknown): boolean {
  return /"\[hidden: /.test(JSON.stringify(value) ?? '');
}
