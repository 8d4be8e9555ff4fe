import { type FocusEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import type { Side } from './placement.ts';
import { usePlacement } from './use-placement.ts';

const openDelay = 350;
/** Long enough to move the pointer onto the tooltip itself. */
const closeDelay = 100;
/** After one tooltip the next ones come at once. */
const followDelay = 300;
let lastClosedAt = Number.NEGATIVE_INFINITY;

type TooltipProps = {
  content: ReactNode;
  side?: Side | undefined;
  /** Leaves the tooltip out while its content is visible anyway. */
  disabled?: boolean | undefined;
  /** One element that takes the focus and the pointer. */
  children: ReactNode;
};

/**
 * Words for what has too little room for them; on hover and keyboard focus, gone with Esc. Never the only place of
 * something needed: the element itself carries the name or the description.
 */
export function Tooltip({ content, side = 'top', disabled = false, children }: TooltipProps) {
  const [open, setOpen] = useState(false);
  const trigger = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const show = () => setOpen(true);
  const hide = () => {
    clearTimeout(timer.current);
    if (open) lastClosedAt = performance.now();
    setOpen(false);
  };
  const later = (act: () => void, delay: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(act, delay);
  };
  const pointerEnter = (event: PointerEvent) => {
    if (event.pointerType === 'touch') return;
    later(show, performance.now() - lastClosedAt < followDelay ? 0 : openDelay);
  };
  const focus = (event: FocusEvent) => {
    if (event.target.matches(':focus-visible')) show();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it takes no room and no part; it only listens.
    <span
      ref={trigger}
      className="contents"
      onPointerEnter={pointerEnter}
      onPointerLeave={() => later(hide, closeDelay)}
      onPointerDown={hide}
      onFocus={focus}
      onBlur={hide}
      onKeyDown={(event) => {
        if (event.key === 'Escape') hide();
      }}
    >
      {children}
      {open && !disabled && (
        <TooltipBox side={side} anchor={() => trigger.current?.firstElementChild ?? null}>
          {content}
        </TooltipBox>
      )}
    </span>
  );
}

type TooltipBoxProps = { side: Side; anchor: () => Element | null; children: ReactNode };

function TooltipBox({ side, anchor, children }: TooltipBoxProps) {
  const box = useRef<HTMLDivElement>(null);
  usePlacement({ box, anchor, side, align: 'center', gap: 6 });
  return createPortal(
    <div
      ref={box}
      role="tooltip"
      dir="auto"
      className="fixed top-0 left-0 z-70 w-max max-w-72 animate-appear rounded-sm bg-foreground px-2 py-1 font-normal text-background text-xs"
    >
      {children}
    </div>,
    document.body,
  );
}
