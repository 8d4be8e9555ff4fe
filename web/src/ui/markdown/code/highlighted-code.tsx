import './highlighted-code.css';
import type { ElementContent } from 'hast';
import { memo, type ReactNode, useEffect, useState } from 'react';
import { startSlice } from '#web/ui/markdown/time-slice.ts';
import {
  type HighlightedPiece,
  type HighlightState,
  highlightCode,
  isColoured,
  isLoadableLanguage,
  loadRareLanguages,
} from './highlight-code.ts';

function draw(node: ElementContent, key: number): ReactNode {
  if (node.type === 'text') return node.value;
  if (node.type !== 'element') return null;
  const names = node.properties.className;
  return (
    <span key={key} className={Array.isArray(names) ? names.join(' ') : undefined}>
      {node.children.map(draw)}
    </span>
  );
}

const Piece = memo(function Piece({ piece }: { piece: HighlightedPiece }) {
  return piece.nodes.map(draw);
});

/** Syntax-highlighted code as React elements. Long code is highlighted piece by piece. */
export const HighlightedCode = memo(function HighlightedCode({ text, language }: { text: string; language: string }) {
  const [state, setState] = useState<HighlightState>(() => highlightCode(language, text, undefined, startSlice()));
  const shown =
    state.text === text && state.language === language ? state : highlightCode(language, text, state, startSlice());
  if (shown !== state) setState(shown);
  const isWhole = isColoured(shown);
  const isMissing = isLoadableLanguage(language);
  useEffect(() => {
    if (!isMissing) return;
    let isHere = true;
    // If the languages cannot be loaded, code stays plain.
    loadRareLanguages().then(
      () => isHere && setState(highlightCode(language, text, undefined, startSlice())),
      () => undefined,
    );
    return () => {
      isHere = false;
    };
  }, [isMissing, language, text]);
  useEffect(() => {
    if (isWhole) return;
    const timer = setTimeout(() =>
      setState((before) => highlightCode(before.language, before.text, before, startSlice())),
    );
    return () => clearTimeout(timer);
  });
  return (
    <>
      {shown.pieces.map((piece, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only ever added at the end
        <Piece key={index} piece={piece} />
      ))}
      {text.slice(shown.end)}
    </>
  );
});
