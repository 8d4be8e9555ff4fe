import { useMemo, useState } from 'react';
import { HighlightedCode } from '#web/ui/markdown/code-block.tsx';
import { prettyJson } from './pretty-json.ts';
import { ShowMore } from './show-more.tsx';

/** Characters rendered at once; more would block the page. */
const atOnce = 100_000;

/** The answer as indented JSON. */
export function JsonLines({ text }: { text: string }) {
  const pretty = useMemo(() => prettyJson(text), [text]);
  const [end, setEnd] = useState(atOnce);
  return (
    <>
      <pre
        dir="ltr"
        className="wrap-anywhere whitespace-pre-wrap px-4 py-3 font-mono text-sm [font-variant-ligatures:none]"
      >
        <code>
          <HighlightedCode text={pretty.slice(0, end)} language="json" />
        </code>
      </pre>
      <ShowMore left={pretty.length - end} what="characters" onMore={() => setEnd(end + atOnce)} />
    </>
  );
}
