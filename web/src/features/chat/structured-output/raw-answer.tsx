import { AnswerText } from '#web/ui/markdown/answer-text.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';

export type StructuredAnswerProps = {
  /** Text after the last tool call. */
  text: string;
  threadId: number;
  runId: number | null;
  /** The text may still grow. */
  live: boolean;
  /** The text is complete. */
  isWhole: boolean;
};

/** JSON as it streams in; other text, from models without schema support, as Markdown. */
export function RawAnswer({ text, live }: Pick<StructuredAnswerProps, 'text' | 'live'>) {
  if (!/^\s*[{[]/.test(text)) return <AnswerText text={text} live={live} />;
  return (
    <pre
      dir="ltr"
      className="wrap-anywhere overflow-clip whitespace-pre-wrap rounded-md border border-border bg-card px-4 py-3 font-mono text-sm [font-variant-ligatures:none]"
    >
      {text}
    </pre>
  );
}

export function PendingAnswer(props: StructuredAnswerProps) {
  if (props.live || !props.isWhole) return <RawAnswer {...props} />;
  return <Skeleton className="h-40 w-full rounded-md" />;
}
