/** A drawing from the sprite; always beside a word, so it says nothing to a screen reader. */
export function Icon({ name, small = false }: { readonly name: string; readonly small?: boolean }) {
  return (
    <svg className={small ? 'ic ic-s' : 'ic'} aria-hidden="true">
      <use href={`/icons.svg#${name}`} />
    </svg>
  );
}
