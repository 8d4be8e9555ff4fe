import './highlighted-code.css';
import type { ElementContent } from 'hast';
import { common, createLowlight } from 'lowlight';
import { Fragment, memo, type ReactNode, useMemo } from 'react';

const lowlight = createLowlight(common);

/** Colouring more than this would hold up the screen; the text is shown without. */
const longest = 60_000;

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

/** Code in its language's colours, as elements of ours. */
export const HighlightedCode = memo(function HighlightedCode({ text, language }: { text: string; language: string }) {
  const drawn = useMemo(() => {
    if (!lowlight.registered(language) || text.length > longest) return text;
    const { children } = lowlight.highlight(language, text);
    return children.map((child, index) => (child.type === 'doctype' ? null : draw(child, index)));
  }, [text, language]);
  return <Fragment>{drawn}</Fragment>;
});
