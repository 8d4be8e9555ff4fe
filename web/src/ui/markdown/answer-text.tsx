import { Component, type ReactNode } from 'react';
import { lazyPart } from '#web/lib/lazy.ts';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { stripSourceMarks } from './source-marks.ts';

type AnswerTextProps = { text: string; live: boolean };

const PlainText = ({ text }: AnswerTextProps) => (
  <div dir="auto" className="whitespace-pre-wrap [unicode-bidi:plaintext]">
    {stripSourceMarks(text)}
  </div>
);

const widths = ['w-11/12', 'w-full', 'w-10/12', 'w-full', 'w-9/12', 'w-1/2'];

/** Skeleton with about the height of the text. */
function PendingText({ text }: AnswerTextProps) {
  const lines = Math.min(40, Math.ceil(text.length / 100));
  return (
    <div className="grid gap-2.5 py-1.5">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have nothing else
        <Skeleton key={line} className={`h-3.5 ${line === lines - 1 ? 'w-1/2' : widths[line % widths.length]}`} />
      ))}
    </div>
  );
}

const MarkdownText = lazyPart<AnswerTextProps>(async () => (await import('./markdown-text.tsx')).MarkdownText, {
  pending: PendingText,
  failed: PlainText,
});

/** Preloads the Markdown renderer, which is not part of the first load. */
export const loadAnswerText = MarkdownText.load;

/** Falls back to the plain text if rendering throws, and leaves the page around it intact. */
class PlainTextFallback extends Component<AnswerTextProps & { children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };
  static getDerivedStateFromError() {
    return { failed: true };
  }
  override render() {
    return this.state.failed ? <PlainText {...this.props} /> : this.props.children;
  }
}

/**
 * A model's text. Clipped to its box, so that stacked combining marks cannot paint over the page; 4 pixels are left for
 * the focus ring.
 */
export function AnswerText(props: AnswerTextProps) {
  return (
    <div
      data-searched
      className="min-w-0 overflow-clip leading-6 [overflow-clip-margin:4px] [overflow-wrap:anywhere] md:text-[15px]"
    >
      <PlainTextFallback {...props}>
        <MarkdownText {...props} />
      </PlainTextFallback>
    </div>
  );
}
