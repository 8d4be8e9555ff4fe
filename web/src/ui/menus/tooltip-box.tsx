import { type ReactNode, useRef } from 'react';
import { createPortal } from 'react-dom';
import type { Side } from './placement.ts';
import { usePlacement } from './use-placement.ts';

type TooltipBoxProps = { side: Side; anchor: () => Element | null; children: ReactNode };

/** The tooltip's box, placed next to its element. */
export function TooltipBox({ side, anchor, children }: TooltipBoxProps) {
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
