/** On a touch screen, focus would open the keyboard over the text. */
export function focusUnlessTouch(element: HTMLElement | null): void {
  if (window.matchMedia('(hover: hover)').matches) element?.focus({ preventScroll: true });
}
