/** Epochs and tokens may be long; their ends tell them apart, and the whole is behind it. */
export function Epoch({ value }: { readonly value: number | null }) {
  if (value === null) return <span className="mute">–</span>;
  return (
    <span className="mono" title={String(value)}>
      {shortEpoch(value)}
    </span>
  );
}

export function shortEpoch(value: number): string {
  return value < 1_000_000_000 ? String(value) : `…${String(value).slice(-6)}`;
}
