import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { JsonValue } from './json-tree.ts';
import { useShownTree } from './shown-tree.ts';

/** The expected value, next to the mismatch. */
export function ValueError({ at }: { at: string }) {
  const message = useShownTree().problems.get(at);
  if (message === undefined) return null;
  return (
    <span className="mt-0.5 flex items-start gap-1.5 text-warning-text [overflow-wrap:anywhere]">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0">{message}</span>
    </span>
  );
}

/** Placeholder for an empty value. */
export const Quiet = ({ children }: { children: ReactNode }) => (
  <span className="text-muted-foreground italic">{children}</span>
);

/** A string, number, boolean or null. */
export function PlainValue({ value }: { value: JsonValue }) {
  const { tree } = useShownTree();
  const written = tree.written(value);
  if (value.kind !== 'string')
    return (
      <span dir="ltr" className={`wrap-anywhere font-mono ${written === 'null' ? 'text-muted-foreground' : ''}`}>
        {written}
      </span>
    );
  const text = tree.said(value);
  if (text === '') return <Quiet>empty text</Quiet>;
  return (
    // As wide as its text, so that right-to-left text also starts next to its name.
    <div dir="auto" className="wrap-anywhere w-fit max-w-full whitespace-pre-wrap [unicode-bidi:plaintext]">
      {text}
    </div>
  );
}
