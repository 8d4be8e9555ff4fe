import type { ElementContent } from 'hast';
import { common, createLowlight } from 'lowlight';
import { lazyModule } from '#web/lib/lazy.ts';

const lowlight = createLowlight(common);
lowlight.registerAlias({ xml: ['vue', 'svelte', 'astro'], bash: ['console', 'fish'] });

/** Languages loaded on first use. */
const later = new Set(
  (
    'apache apacheconf awk bat clj clojure cmake cmd coffee coffeescript cr crystal d dart delphi django ' +
    'docker dockerfile dos dpr edn elixir elm erl erlang ex exs f90 f95 fortran fs fsharp gradle groovy ' +
    'handlebars haskell haxe hbs hs http https hx jinja jl julia latex lisp matlab ml nginx nginxconf nim ' +
    'nix ocaml pascal powershell prolog properties proto protobuf ps1 pwsh scala scheme scm styl stylus ' +
    'sv tcl tex thrift twig vala verilog vhdl vim'
  ).split(' '),
);

/** True if a language is available but not loaded yet. */
export const isLoadableLanguage = (language: string) => later.has(language) && !lowlight.registered(language);

/** Loads the less common languages. */
export const { load: loadRareLanguages } = lazyModule(async () => {
  const { rareLanguages } = await import('./rare-languages.ts');
  lowlight.register(rareLanguages);
  lowlight.registerAlias({ julia: ['jl'] });
});

/** Code is highlighted in pieces, so that finished pieces stay as they are while more arrives. */
export type HighlightedPiece = { text: string; nodes: readonly ElementContent[] };
export type HighlightState = {
  text: string;
  language: string;
  /** From the start; the rest is not highlighted yet. All but the last are final. */
  pieces: readonly HighlightedPiece[];
  end: number;
};

/** Longer code is not highlighted. */
const longest = 200_000;
const longestPiece = 6_000;
const shortestPiece = 1_000;

export const isColoured = ({ text, language, end }: HighlightState) =>
  end === text.length || !isColourable(language, text);

const isColourable = (language: string, text: string) => text.length <= longest && lowlight.registered(language);

const lengthOf = (node: ElementContent): number =>
  node.type === 'text' ? node.value.length : node.type === 'element' ? sumOf(node.children) : 0;
const sumOf = (nodes: readonly ElementContent[]) => nodes.reduce((sum, node) => sum + lengthOf(node), 0);

const coloured = (language: string, text: string): ElementContent[] =>
  lowlight.highlight(language, text).children.filter((node) => node.type !== 'doctype');

/**
 * Ends a piece at the last line break outside strings and comments, so that the rest can be highlighted on its own.
 * Without one the piece stays whole.
 */
function cutAtLineEnd(text: string, nodes: ElementContent[]): HighlightedPiece {
  let after = text.length;
  for (let index = nodes.length - 1; index >= 0; index--) {
    const node = nodes[index];
    if (!node) break;
    after -= lengthOf(node);
    if (after < shortestPiece) break;
    if (node.type !== 'text') continue;
    const lineEnd = node.value.lastIndexOf('\n') + 1;
    // The last characters may belong to a token that continues after them.
    if (lineEnd === 0 || after + lineEnd === text.length) continue;
    return {
      text: text.slice(0, after + lineEnd),
      nodes: [...nodes.slice(0, index), { type: 'text', value: node.value.slice(0, lineEnd) }],
    };
  }
  return { text, nodes };
}

/** Highlights code until `isOver`; `previous` is an earlier state, of the same code or of a prefix. */
export function highlightCode(
  language: string,
  text: string,
  previous: HighlightState | undefined,
  isOver: () => boolean,
): HighlightState {
  if (!isColourable(language, text)) return { text, language, pieces: [], end: 0 };
  const goesOn = previous !== undefined && previous.language === language && text.startsWith(previous.text);
  if (goesOn && previous.text === text && previous.end === text.length) return previous;
  // The last piece ended only because the code did; redo it if the code continues.
  const wasWhole = goesOn && previous.end === previous.text.length;
  const pieces = goesOn ? [...(wasWhole ? previous.pieces.slice(0, -1) : previous.pieces)] : [];
  let end = pieces.reduce((sum, piece) => sum + piece.text.length, 0);
  while (end < text.length) {
    const length = text.length - end;
    const cut = text.lastIndexOf('\n', end + longestPiece) + 1;
    const next = length <= longestPiece ? text.slice(end) : text.slice(end, cut > end ? cut : end + longestPiece);
    const nodes = coloured(language, next);
    const piece = next.length === length ? { text: next, nodes } : cutAtLineEnd(next, nodes);
    pieces.push(piece);
    end += piece.text.length;
    if (isOver()) break;
  }
  return { text, language, pieces, end };
}
