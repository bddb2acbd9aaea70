import { Icon } from './icon.tsx';

export interface StateBadgeProps {
  readonly state: string;
  readonly icon?: string;
  readonly word: string;
  /** It really turns. @default false */
  readonly spin?: boolean;
}

/** One state, one colour, one glyph, one word. */
export function StateBadge({ state, icon = `s-${state}`, word, spin = false }: StateBadgeProps) {
  return (
    <span className="state" data-state={state}>
      <Icon name={icon} spin={spin} />
      {word}
    </span>
  );
}
