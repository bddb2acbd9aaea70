import type { CSSProperties } from 'react';

/** The bar: two posts and what is left between them. `share` is 0 to 1. */
export function TimeBar(props: { readonly share: number; readonly state: string; readonly large?: boolean }) {
  const { share, state, large = false } = props;
  const left = Math.min(Math.max(share, 0), 1);
  return (
    <span
      className={large ? 'kbar lg' : 'kbar'}
      data-state={state}
      style={{ '--p': left } as CSSProperties}
      role="img"
      aria-label={`${Math.round(left * 100)} %`}
    >
      <i />
    </span>
  );
}
