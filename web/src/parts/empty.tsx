import type { ReactNode } from 'react';

/** The bar lies open: what this place is for, and one act. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <svg className="art" viewBox="0 0 56 44" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="2">
        <path d="M14 4v36M42 4v36" strokeLinecap="round" />
        <path d="M8 38l30-10" strokeWidth="5" />
      </svg>
      <h3>{title}</h3>
      {children}
    </div>
  );
}
