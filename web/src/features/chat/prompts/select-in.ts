/** Selects a part of the message and scrolls it into view, which the browser does only for typing. */
export function selectIn(box: HTMLTextAreaElement, start: number, end: number): void {
  box.focus({ preventScroll: true });
  box.setSelectionRange(start, end);
  const probe = box.cloneNode();
  if (!(probe instanceof HTMLTextAreaElement)) return;
  probe.value = box.value.slice(0, end);
  probe.inert = true;
  Object.assign(probe.style, {
    position: 'absolute',
    visibility: 'hidden',
    height: '0',
    minHeight: '0',
    fieldSizing: 'fixed',
  });
  probe.style.width = `${box.offsetWidth}px`;
  box.after(probe);
  const bottom = probe.scrollHeight;
  probe.remove();
  if (bottom > box.scrollTop + box.clientHeight || bottom < box.scrollTop + 40)
    box.scrollTop = Math.max(0, bottom - box.clientHeight / 2);
}
