/** On a touch screen the focus would bring up the keyboard over what was to be read. */
export function focusUnlessTouch(element: HTMLElement | null): void {
  if (window.matchMedia('(hover: hover)').matches) element?.focus({ preventScroll: true });
}
