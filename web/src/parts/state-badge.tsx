import { Icon } from './icon.tsx';

/** One state, one colour, one glyph, one word. */
export function StateBadge(props: { readonly state: string; readonly icon?: string; readonly word: string }) {
  const { state, icon = `s-${state}`, word } = props;
  return (
    <span className="state" data-state={state}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
