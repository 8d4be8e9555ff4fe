import type { ClipboardEvent } from 'react';

const formulaAround = (node: Node) =>
  (node instanceof Element ? node : node.parentElement)?.closest('.katex-display, .katex') ?? null;

/** Extends a selection to whole formulas: part of one is meaningless. */
function withWholeFormulas(selected: Range): Range {
  const range = selected.cloneRange();
  const first = formulaAround(range.startContainer);
  const last = formulaAround(range.endContainer);
  if (first) range.setStartBefore(first);
  if (last) range.setEndAfter(last);
  return range;
}

/** Replaces rendered formulas, which are dozens of positioned letters, with their TeX source. */
function writeSources(part: DocumentFragment) {
  for (const formula of part.querySelectorAll('.katex-display, .katex')) {
    const source = formula.querySelector('annotation')?.textContent;
    if (source === null || source === undefined || !part.contains(formula)) continue;
    const marks = formula.matches('.katex-display') ? '$$' : '$';
    formula.replaceWith(`${marks}${source}${marks}`);
  }
}

/** Text of elements as displayed, with line breaks; `innerText` has those only for elements on the page. */
function shownText(part: HTMLElement): string {
  Object.assign(part.style, { position: 'fixed', insetInlineStart: '-10000px', width: '1000px' });
  document.body.append(part);
  const text = part.innerText;
  part.remove();
  return text;
}

/** Copies a selection with formulas as text with their TeX source. */
export function copySelection(event: ClipboardEvent) {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return;
  const part = withWholeFormulas(selection.getRangeAt(0)).cloneContents();
  if (!part.querySelector('.katex')) return;
  writeSources(part);
  const holder = document.createElement('div');
  holder.append(part);
  event.clipboardData.setData('text/html', holder.innerHTML);
  event.clipboardData.setData('text/plain', shownText(holder));
  event.preventDefault();
}
