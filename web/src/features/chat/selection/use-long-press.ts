import { type MouseEvent, type PointerEvent, useEffect, useRef } from 'react';

const pressMs = 500;

/** Handlers for a long press on a touch screen. The click that ends it, and the menu of the browser, are suppressed. */
export function useLongPress(onPress: () => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isPressed = useRef(false);
  const stop = () => clearTimeout(timer.current);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    onPointerDown: ({ pointerType }: PointerEvent) => {
      isPressed.current = false;
      if (pointerType !== 'touch') return;
      timer.current = setTimeout(() => {
        isPressed.current = true;
        onPress();
      }, pressMs);
    },
    onPointerUp: stop,
    onPointerCancel: stop,
    onPointerLeave: stop,
    onContextMenu: (event: MouseEvent) => {
      if (isPressed.current) event.preventDefault();
    },
    onClickCapture: (event: MouseEvent) => {
      if (!isPressed.current) return;
      isPressed.current = false;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
