import {
  type ComponentProps,
  cloneElement,
  createContext,
  isValidElement,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { classNames } from '#web/ui/class-names.ts';
import type { Icon } from '#web/ui/icon.ts';
import { menuItems, useMenuKeys } from './menu-keys.ts';
import type { Align, Side } from './placement.ts';
import { usePlacement } from './use-placement.ts';

/** Closes the menu, then runs the action. */
type Choose = (act: () => void) => void;
const ChooseContext = createContext<Choose>((act) => act());

type TriggerProps = ComponentProps<'button'> & { 'data-state'?: string };

type MenuProps = {
  /** A single button; receives click, keys and ARIA attributes. */
  trigger: ReactElement;
  align?: Align | undefined;
  side?: Side | undefined;
  children: ReactNode;
};

/** A menu under a button, following the ARIA menu button pattern. */
export function Menu({ trigger, align = 'end', side = 'bottom', children }: MenuProps) {
  const [opened, setOpened] = useState<'first' | 'last' | null>(null);
  const wrapper = useRef<HTMLSpanElement>(null);
  const id = useId();
  const button = () => wrapper.current?.querySelector<HTMLElement>('[aria-haspopup="menu"]') ?? null;

  const close = (returnFocus: boolean) => {
    setOpened(null);
    if (returnFocus) button()?.focus();
  };
  const choose: Choose = (act) => {
    // Return focus to the button first, so that a dialog opened by the action returns it there.
    close(true);
    queueMicrotask(act);
  };
  const buttonKeys = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    setOpened(event.key === 'ArrowDown' ? 'first' : 'last');
  };

  return (
    <span ref={wrapper} className="contents">
      {isValidElement<TriggerProps>(trigger) &&
        cloneElement(trigger, {
          'aria-haspopup': 'menu',
          'aria-expanded': opened !== null,
          'aria-controls': opened === null ? undefined : id,
          'data-state': opened === null ? 'closed' : 'open',
          onClick: () => (opened === null ? setOpened('first') : close(true)),
          onKeyDown: buttonKeys,
        })}
      {opened !== null && (
        <MenuBox id={id} button={button} side={side} align={align} startAt={opened} onClose={close}>
          <ChooseContext value={choose}>{children}</ChooseContext>
        </MenuBox>
      )}
    </span>
  );
}

type MenuBoxProps = {
  id: string;
  button: () => HTMLElement | null;
  side: Side;
  align: Align;
  startAt: 'first' | 'last';
  onClose: (returnFocus: boolean) => void;
  children: ReactNode;
};

function MenuBox({ id, button, side, align, startAt, onClose, children }: MenuBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  usePlacement({ box, anchor: button, side, align, gap: 6 });
  const keyDown = useMenuKeys(box, onClose);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it opens.
  useEffect(() => {
    menuItems(box.current)
      .at(startAt === 'first' ? 0 : -1)
      ?.focus({ preventScroll: true });
  }, []);

  useEffect(() => {
    const pressBeside = ({ target }: Event) => {
      if (!(target instanceof Node) || box.current?.contains(target) || button()?.contains(target)) return;
      onClose(false);
    };
    document.addEventListener('pointerdown', pressBeside, true);
    return () => document.removeEventListener('pointerdown', pressBeside, true);
  });

  return createPortal(
    <div
      ref={box}
      id={id}
      role="menu"
      aria-label={button()?.getAttribute('aria-label') ?? button()?.textContent ?? undefined}
      tabIndex={-1}
      onKeyDown={keyDown}
      // React bubbles events of a portal to its React parents: a click in the menu must not count as one on what
      // contains the button.
      onClick={(event) => event.stopPropagation()}
      onPointerDown={(event) => event.stopPropagation()}
      className="fixed top-0 left-0 z-60 max-h-[min(24rem,calc(100dvh-1rem))] w-max min-w-44 max-w-80 animate-appear overflow-y-auto overscroll-contain rounded-md bg-popover p-1 text-start text-base text-foreground shadow-float outline-none"
    >
      {children}
    </div>,
    document.body,
  );
}

type MenuItemProps = {
  onSelect: () => void;
  icon?: Icon | undefined;
  destructive?: boolean | undefined;
  /** Disables the item and shows the reason below its label. */
  disabledReason?: string | undefined;
  /** Shown below the label. */
  description?: ReactNode;
  /** Shown on the right: a shortcut or a value. */
  detail?: ReactNode;
  children: ReactNode;
};

export function MenuItem(props: MenuItemProps) {
  const { onSelect, icon: IconPart, destructive, disabledReason, description, detail, children } = props;
  const isDisabled = Boolean(disabledReason);
  const choose = useContext(ChooseContext);
  return (
    <button
      type="button"
      role="menuitem"
      aria-disabled={isDisabled || undefined}
      tabIndex={-1}
      onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
      onClick={() => {
        if (!isDisabled) choose(onSelect);
      }}
      className={classNames(
        'flex min-h-8 w-full select-none items-center gap-2.5 rounded-sm px-2 py-1 text-start outline-none',
        'focus:bg-hover aria-disabled:opacity-50 max-md:min-h-10',
        destructive && 'text-destructive-text',
      )}
    >
      {IconPart && (
        <IconPart aria-hidden className={classNames('size-4', destructive ? undefined : 'text-muted-foreground')} />
      )}
      <span className="min-w-0 flex-1">
        <span className="block truncate">{children}</span>
        {disabledReason && <span className="block text-xs">{disabledReason}</span>}
        {description && <span className="wrap-anywhere block text-muted-foreground text-xs">{description}</span>}
      </span>
      {detail && <span className="text-muted-foreground text-xs">{detail}</span>}
    </button>
  );
}

export function MenuSeparator() {
  return <hr className="-mx-1 my-1 h-px border-0 bg-border" />;
}
