/** The mark: two posts, two brackets, one bar through both. */
export function Mark() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" fill="var(--accent-solid)" />
      <path
        d="M7.2 4.5v15M16.8 4.5v15"
        stroke="var(--on-accent)"
        strokeWidth="2.2"
        strokeLinecap="round"
        opacity=".55"
      />
      <path d="M3 12h18" stroke="var(--on-accent)" strokeWidth="3.4" />
      <path
        d="M5 9v6h4.4V9M14.6 9v6H19V9"
        stroke="var(--on-accent)"
        strokeWidth="1.3"
        fill="none"
        strokeLinejoin="round"
      />
    </svg>
  );
}
