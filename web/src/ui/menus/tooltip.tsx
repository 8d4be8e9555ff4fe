import { type FocusEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { whenAppReady } from '#web/lib/app-ready.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import type { Side } from './placement.ts';

const TooltipBox = lazyPart(async () => (await whenAppReady(() => import('./tooltip-box.tsx'))).TooltipBox, {
  // The element itself has its name or description.
  failed: () => null,
});
TooltipBox.preload();

const openDelay = 350;
/** Milliseconds; enough to move the pointer onto the tooltip. */
const closeDelay = 100;
/** Milliseconds after one tooltip during which the next appears at once. */
const followDelay = 300;
let lastClosedAt = Number.NEGATIVE_INFINITY;

type TooltipProps = {
  content: ReactNode;
  side?: Side | undefined;
  /** Suppresses the tooltip, for example while its content is visible. */
  disabled?: boolean | undefined;
  /** A single element that can be focused and hovered. */
  children: ReactNode;
};

/**
 * A tooltip on hover and keyboard focus; Esc closes it. Never the only place of essential text: the element itself has
 * the name or description.
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
