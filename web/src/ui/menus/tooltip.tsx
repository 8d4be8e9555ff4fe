import { type FocusEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { whenAppReady } from '#web/lib/app-ready.ts';
import { loadedModule } from '#web/lib/loaded-module.ts';
import type { Side } from './placement.ts';

// Where it cannot be had, the element itself still says what is needed.
const tooltipBox = loadedModule(() => import('./tooltip-box.tsx').catch(() => ({ TooltipBox: null })));
void whenAppReady(tooltipBox.load);

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
  const { TooltipBox } = tooltipBox.use() ?? { TooltipBox: null };
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
      {open && !disabled && TooltipBox && (
        <TooltipBox side={side} anchor={() => trigger.current?.firstElementChild ?? null}>
          {content}
        </TooltipBox>
      )}
    </span>
  );
}
