import { type KeyboardEvent, type PointerEvent, type ReactNode, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { classNames } from '#web/ui/class-names.ts';

/** `before`: what had focus when it opened. */
type Layer = { dialog: HTMLDialogElement; before: Element | null; ask: () => void };

/** Open layers, bottom first. Only the top one, and toasts, can be reached. */
const layers: Layer[] = [];

function makeRestInert() {
  const root = document.getElementById('root');
  const isOpen = layers.length > 0;
  if (root) root.inert = isOpen;
  lockPageScroll(isOpen);
  for (const [index, { dialog }] of layers.entries()) dialog.inert = index < layers.length - 1;
}

/** Stops the page from scrolling, and from shifting when its scroll bar disappears. */
function lockPageScroll(isHeld: boolean) {
  const { style, clientWidth } = document.documentElement;
  const barWidth = window.innerWidth - clientWidth;
  if (isHeld && style.overflow !== 'hidden') style.paddingRight = `${barWidth}px`;
  if (!isHeld) style.paddingRight = '';
  style.overflow = isHeld ? 'hidden' : '';
}

/** Focuses the first element marked for autofocus, else the first control except the close button, else the layer. */
function focusInside(dialog: HTMLDialogElement) {
  const wanted =
    dialog.querySelector<HTMLElement>('[data-autofocus]') ??
    dialog.querySelector<HTMLElement>('[data-layer-body] :is(input, select, textarea, button, a[href])') ??
    dialog.querySelector<HTMLElement>('[data-layer-footer] button');
  (wanted ?? dialog).focus();
}

/** Closes a layer and returns focus to where it was. */
function close(layer: Layer) {
  const index = layers.indexOf(layer);
  layers.splice(index, 1);
  makeRestInert();
  const above = layers[index];
  // Two layers closing together: the lower one goes first and passes on where focus returns to.
  if (above) above.before = layer.before;
  else if (layer.before instanceof HTMLElement && layer.before.isConnected) layer.before.focus();
  if (isFocusLost()) layers.at(-1)?.dialog.focus();
}

const isFocusLost = () => document.activeElement === null || document.activeElement === document.body;

/** The focused element may have been removed; Esc still closes the top layer. */
addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !event.defaultPrevented && isFocusLost()) layers.at(-1)?.ask();
});

type ModalLayerProps = {
  onOpenChange: (open: boolean) => void;
  role?: 'dialog' | 'alertdialog' | undefined;
  labelledBy?: string | undefined;
  label?: string | undefined;
  describedBy?: string | undefined;
  className?: string | undefined;
  children: ReactNode;
};

/**
 * Base of dialogs, side panels and the command palette: a native `<dialog>` over an inert page. Opened with `show()`,
 * not `showModal()`, because the browser's top layer would cover toasts, tooltips and menus. Mount it to open it. Esc
 * and a click outside call `onOpenChange(false)`.
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
    // A menu or suggestion list inside handles Esc first.
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
