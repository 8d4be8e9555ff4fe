import type { AssistantColor, AssistantIcon } from '@roster/contracts/assistants/avatar';
import { lazyPart } from '#web/lib/lazy.ts';
import { classNames } from '#web/ui/class-names.ts';

export type AssistantAppearance = { name: string; icon: AssistantIcon | null; color: AssistantColor | null };

const colorValues: Record<AssistantColor, string> = {
  red: 'oklch(0.6 0.2 25)',
  orange: 'oklch(0.66 0.17 50)',
  amber: 'oklch(0.7 0.15 85)',
  green: 'oklch(0.62 0.16 150)',
  teal: 'oklch(0.62 0.11 195)',
  blue: 'oklch(0.6 0.17 255)',
  violet: 'oklch(0.58 0.19 295)',
  pink: 'oklch(0.62 0.19 350)',
};

const NoGlyph = () => null;
/** Loaded on demand: the icons are large, and most assistants have none. */
const Glyph = lazyPart<{ name: AssistantIcon }>(async () => (await import('#web/ui/glyph.tsx')).Glyph, {
  failed: NoGlyph,
});

const hasAvatar = ({ icon, color }: AssistantAppearance) => icon !== null || color !== null;

/** True if one of them has an icon or a color: in a list, the others then show their letter. */
export const someHaveAvatars = (all: readonly AssistantAppearance[]): boolean => all.some(hasAvatar);

type AssistantAvatarProps = AssistantAppearance & {
  /** Shows the first letter of an assistant without icon and color, so that a list is aligned. */
  always?: boolean | undefined;
  className?: string | undefined;
};

/** An assistant's icon in its color; nothing if it has neither. */
export function AssistantAvatar({ name, icon, color, always = false, className }: AssistantAvatarProps) {
  if (!always && !hasAvatar({ name, icon, color })) return null;
  const tint = color === null ? 'var(--muted-foreground)' : colorValues[color];
  return (
    <span
      aria-hidden
      style={{
        backgroundColor: `color-mix(in oklab, ${tint} 18%, var(--card))`,
        color: `color-mix(in oklab, ${tint} 55%, var(--foreground))`,
      }}
      className={classNames(
        'inline-flex size-6 shrink-0 select-none items-center justify-center rounded-md font-semibold text-xs',
        className,
      )}
    >
      {icon === null ? [...name][0]?.toUpperCase() : <Glyph name={icon} />}
    </span>
  );
}
