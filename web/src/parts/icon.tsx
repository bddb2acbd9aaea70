export interface IconProps {
  readonly name: string;
  readonly small?: boolean;
  readonly spin?: boolean;
}

/** A drawing from the sprite; always beside a word, so it says nothing to a screen reader. */
export function Icon({ name, small = false, spin = false }: IconProps) {
  return (
    <svg className={`ic${small ? ' ic-s' : ''}${spin ? ' spin' : ''}`} aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  );
}
