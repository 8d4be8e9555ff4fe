import { ChevronDown } from 'lucide-react';
import { Button } from '#web/ui/button.tsx';
import { Menu, MenuItem } from '#web/ui/menu.tsx';
import { type Answerer, useAnswerers } from './use-assistants.ts';

type AnswererMenuProps = {
  current: Answerer | undefined;
  onChoose: (assistantId: number | null) => void;
  label?: string | undefined;
};

/** Who answers from here on. */
export function AnswererMenu({ current, onChoose, label }: AnswererMenuProps) {
  const known = useAnswerers();
  if (!known) return null;
  return (
    <Menu
      trigger={
        <Button size="sm" variant={label ? 'secondary' : 'ghost'} className="min-w-0 shrink max-md:h-10">
          {!label && <span className="sr-only">Assistant: </span>}
          <span dir="auto" className={label ? 'truncate' : 'max-w-44 truncate max-md:max-w-[26vw]'}>
            {label ?? current?.name ?? 'Assistant'}
          </span>
          {!label && current?.model && (
            <span className="max-w-36 truncate font-mono font-normal text-faint-foreground text-xs max-lg:hidden">
              {current.model}
            </span>
          )}
          <ChevronDown aria-hidden className="size-4" />
        </Button>
      }
    >
      {known.answerers.map((answerer) => (
        <MenuItem
          key={answerer.assistantId ?? 'none'}
          checked={answerer.assistantId === current?.assistantId}
          detail={<span className="font-mono">{answerer.model}</span>}
          onSelect={() => onChoose(answerer.assistantId)}
        >
          {answerer.name}
        </MenuItem>
      ))}
    </Menu>
  );
}
