/**
 * Replaces a part of a text as if it were typed, so that Undo brings it back. The input event that follows updates the
 * draft or the form.
 */
export function replaceIn(box: HTMLTextAreaElement, start: number, end: number, text: string): void {
  box.focus({ preventScroll: true });
  box.setSelectionRange(start, end);
  // Deprecated, but the only way to edit a field with Undo.
  const isDone = text === '' ? document.execCommand('delete') : document.execCommand('insertText', false, text);
  if (isDone || (start === end && text === '')) return;
  box.setRangeText(text, start, end, 'end');
  box.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText' }));
}
