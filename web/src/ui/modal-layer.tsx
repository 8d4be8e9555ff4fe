import { type KeyboardEvent, type PointerEvent, type ReactNode, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { classNames } from './class-names.ts';

/** The open layers, the lowest first. Only the top one (and the toasts) can be reached. */
const layers: HTMLDialogElement[] = [];

function closeOffTheRest() {
  const root = document.getElementById('root');
  const isOpen = layers.length > 0;
  if (root) root.inert = isOpen;
  holdPage(isOpen);
  for (const [index, layer] of layers.entries()) layer.inert = index < layers.length - 1;
}

/** The page behind does not scroll, and does not move aside for the scroll bar it loses. */
function holdPage(isHeld: boolean) {
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

  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    const before = document.activeElement;
    layers.push(dialog);
    dialog.setAttribute('open', '');
    closeOffTheRest();
    focusInside(dialog);
    return () => {
      layers.splice(layers.indexOf(dialog), 1);
      closeOffTheRest();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
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
