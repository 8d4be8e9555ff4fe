import 'katex/dist/katex.min.css';
import { renderToString } from 'katex';
import { createElement, memo, type ReactNode, useMemo } from 'react';
import { lazyPart } from '#web/lib/lazy.ts';
import { type MarkupNode, readMarkup, readStyle } from './markup-tree.ts';

const elements = new Set(
  (
    'span svg path line math semantics annotation mrow mi mo mn ms mtext mspace mfrac msqrt mroot msub msup msubsup ' +
    'munder mover munderover mtable mtr mtd mlabeledtr mstyle mpadded mphantom menclose mglyph merror'
  ).split(' '),
);
const attributes = new Set(
  (
    'd x1 x2 y1 y2 width height viewBox preserveAspectRatio stroke-width display encoding accent accentunder fence ' +
    'stretchy separator lspace rspace minsize maxsize mathvariant mathcolor mathbackground mathsize scriptlevel ' +
    'displaystyle linethickness columnalign rowspacing columnspacing columnlines rowlines depth voffset notation ' +
    'movablelimits largeop side'
  ).split(' '),
);
const inReact = new Map([['stroke-width', 'strokeWidth']]);

/**
 * Deep nesting exhausts the layout stack and crashes the tab; the HTML parser would stop at 512. A fraction inside a
 * fraction takes seven levels.
 */
const deepest = 200;
const mostElements = 6_000;

function isDrawable(nodes: readonly MarkupNode[]): boolean {
  let level: readonly MarkupNode[] = nodes;
  let count = 0;
  for (let depth = 0; level.length > 0; depth++) {
    count += level.length;
    if (depth > deepest || count > mostElements) return false;
    level = level.flatMap((node) => (node.kind === 'element' ? node.children : []));
  }
  return true;
}

function draw(node: MarkupNode, key: number): ReactNode {
  if (node.kind === 'text') return node.text;
  if (!elements.has(node.name)) return node.children.map(draw);
  const props: Record<string, unknown> = { key };
  for (const [name, value] of node.attributes) {
    if (name === 'class') props.className = value;
    else if (name === 'style') props.style = readStyle(value);
    else if (name === 'aria-hidden') props['aria-hidden'] = value === 'true';
    else if (attributes.has(name)) props[inReact.get(name) ?? name] = value;
  }
  return createElement(node.name, props, ...node.children.map(draw));
}

/** Removes equation numbers: nothing refers to them, and every formula would start at 1. */
const withoutNumbers = (source: string) =>
  source.replaceAll(/\\(begin|end)\{(align|alignat|equation|gather)\}/g, '\\$1{$2*}');

function typeset(source: string, display: boolean): ReactNode {
  try {
    const markup = renderToString(withoutNumbers(source), {
      displayMode: display,
      output: 'htmlAndMathml',
      throwOnError: true,
      strict: 'ignore',
      errorColor: 'var(--destructive-text)',
      trust: false,
      maxSize: 20,
      maxExpand: 300,
    });
    const nodes = readMarkup(markup);
    return isDrawable(nodes) ? nodes.map(draw) : null;
  } catch {
    return null;
  }
}

type FormulaProps = { source: string; display: boolean };

const FormulaSource = ({ source }: FormulaProps) => (
  <code dir="ltr" className="font-mono text-[0.92em]">
    {source}
  </code>
);

function TypesetFormula({ source, display }: FormulaProps) {
  const formula = useMemo(() => typeset(source, display), [source, display]);
  if (formula === null) return <FormulaSource source={source} display={display} />;
  if (!display) return <span dir="ltr">{formula}</span>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reachable by keyboard
    <span dir="ltr" tabIndex={0} className="block overflow-x-auto overflow-y-hidden py-1">
      {formula}
    </span>
  );
}

async function loadChemistry() {
  await import('katex/contrib/mhchem');
  return TypesetFormula;
}

/** Chemical formulas and units need a KaTeX extension, loaded with the first of them. */
const ChemicalFormula = lazyPart<FormulaProps>(loadChemistry, { pending: FormulaSource, failed: TypesetFormula });

/** A rendered formula, or its source if it cannot be rendered. */
export const Formula = memo(function Formula(props: FormulaProps) {
  return /\\(?:ce|pu)\b/.test(props.source) ? <ChemicalFormula {...props} /> : <TypesetFormula {...props} />;
});
