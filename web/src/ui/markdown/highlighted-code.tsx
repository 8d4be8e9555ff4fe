import './highlighted-code.css';
import type { ElementContent } from 'hast';
import { memo, type ReactNode, useEffect, useState } from 'react';
import {
  type ColouredCode,
  type ColouredPiece,
  colour,
  isColoured,
  isLater,
  loadLaterLanguages,
} from './coloured-code.ts';
import { sliceEnd } from './slices.ts';

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

const Piece = memo(function Piece({ piece }: { piece: ColouredPiece }) {
  return piece.nodes.map(draw);
});

/** Code in its language's colours, as elements of ours. Long code gets them piece by piece. */
export const HighlightedCode = memo(function HighlightedCode({ text, language }: { text: string; language: string }) {
  const [state, setState] = useState<ColouredCode>(() => colour(language, text, undefined, sliceEnd()));
  const shown = state.text === text && state.language === language ? state : colour(language, text, state, sliceEnd());
  if (shown !== state) setState(shown);
  const isWhole = isColoured(shown);
  const isMissing = isLater(language);
  useEffect(() => {
    if (!isMissing) return;
    let isHere = true;
    // Code without colors is code all the same, where they cannot be loaded.
    loadLaterLanguages().then(
      () => isHere && setState(colour(language, text, undefined, sliceEnd())),
      () => undefined,
    );
    return () => {
      isHere = false;
    };
  }, [isMissing, language, text]);
  useEffect(() => {
    if (isWhole) return;
    const timer = setTimeout(() => setState((before) => colour(before.language, before.text, before, sliceEnd())));
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
