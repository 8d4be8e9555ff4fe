import { type KeyboardEvent, type PointerEvent, type ReactNode, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { classNames } from '#web/ui/class-names.ts';

/** `before`: what had the focus when it was opened. */
type Layer = { dialog: HTMLDialogElement; before: Element | null; ask: () => void };

/** The open layers, the lowest first. Only the top one (and the toasts) can be reached. */
const layers: Layer[] = [];

function makeRestInert() {
  const root = document.getElementById('root');
  const isOpen = layers.length > 0;
  if (root) root.inert = isOpen;
  lockPageScroll(isOpen);
  for (const [index, { dialog }] of layers.entries()) dialog.inert = index < layers.length - 1;
}

/** The page behind does not scroll, and does not move aside for the scroll bar it loses. */
function lockPageScroll(isHeld: boolean) {
  const { style, clientWidth } = document.documentElement;
  const barWidth = window.innerWidth - clientWidth;
  if (isHeld && style.overflow !== 'hidden') style.paddingRight = `${barWidth}px`;
  if (!isHeld) style.paddingRight = '';
  style.overflow = isHeld ? 'hidden' : '';
}

/** Into the first field that asks for it, else the first thing that is not the close button, else the layer itself. */
function focusInside(dialog: HTMLDialogElement) {
  const wanted =
    dialog.querySelector<HTMLElement>('[data-autofocus]') ??
    dialog.querySelector<HTMLElement>('[data-layer-body] :is(input, select, textarea, button, a[href])') ??
    dialog.querySelector<HTMLElement>('[data-layer-footer] button');
  (wanted ?? dialog).focus();
}

/** Takes a layer away, and gives the focus back to where it came from. */
function close(layer: Layer) {
  const index = layers.indexOf(layer);
  layers.splice(index, 1);
  makeRestInert();
  const above = layers[index];
  // Two that close together: the lower one goes first, and what the upper one came from goes with it.
  if (above) above.before = layer.before;
  else if (layer.before instanceof HTMLElement && layer.before.isConnected) layer.before.focus();
  if (isFocusLost()) layers.at(-1)?.dialog.focus();
}

const isFocusLost = () => document.activeElement === null || document.activeElement === document.body;

/** What had the focus may have gone from the page: Esc is still for the top layer. */
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !event.defaultPrevented && isFocusLost()) layers.at(-1)?.ask();
});

export type ModalLayerProps = {
  onOpenChange: (open: boolean) => void;
  role?: 'dialog' | 'alertdialog' | undefined;
  labelledBy?: string | undefined;
  label?: string | undefined;
  describedBy?: string | undefined;
  className?: string | undefined;
  children: ReactNode;
};

/**
 * What dialogs, side panels and the command palette stand on: a native `<dialog>` over an inert page. It is opened with
 * `show()`, not `showModal()`: the browser's top layer would cut off toasts, tooltips and menus that belong to it.
 * Mount it to open it. Esc and a click beside the content ask `onOpenChange(false)`.
 */
export function ModalLayer(props: ModalLayerProps) {
  const { onOpenChange, role = 'dialog', labelledBy, label, describedBy, className, children } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const pressedBeside = useRef(false);
  const asked = useRef(onOpenChange);
  useLayoutEffect(() => {
    asked.current = onOpenChange;
  });

  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    const layer: Layer = { dialog, before: document.activeElement, ask: () => asked.current(false) };
    layers.push(layer);
    dialog.setAttribute('open', '');
    makeRestInert();
    focusInside(dialog);
    return () => close(layer);
  }, []);

  const keyDown = (event: KeyboardEvent) => {
    // A menu or a suggestion list inside takes its own Esc first.
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.stopPropagation();
    onOpenChange(false);
  };
  const pointerDown = (event: PointerEvent) => {
    pressedBeside.current = event.target === ref.current;
  };

  return createPortal(
    <dialog
      ref={ref}
      role={role}
      aria-modal="true"
      aria-labelledby={labelledBy}
      aria-label={label}
      aria-describedby={describedBy}
      tabIndex={-1}
      onKeyDown={keyDown}
      onPointerDown={pointerDown}
      onClick={(event) => {
        if (event.target === ref.current && pressedBeside.current) onOpenChange(false);
      }}
      className={classNames(
        'fixed inset-0 z-50 m-0 h-full max-h-none w-full max-w-none animate-appear bg-overlay p-0 text-foreground outline-none',
        className,
      )}
    >
      {children}
    </dialog>,
    document.body,
  );
}
