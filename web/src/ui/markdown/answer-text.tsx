import { Suspense } from 'react';
import { onDemand } from './on-demand.tsx';

type AnswerTextProps = { text: string; live: boolean };

/** Starts loading what draws Markdown; it stays out of the first load of the page. */
export const loadAnswerText = () => import('./markdown-text.tsx');

const PlainText = ({ text }: AnswerTextProps) => <div className="whitespace-pre-wrap">{text}</div>;
const MarkdownText = onDemand<AnswerTextProps>(async () => (await loadAnswerText()).MarkdownText, PlainText);

/** What a model wrote. */
export function AnswerText(props: AnswerTextProps) {
  return (
    <div className="min-w-0 leading-6 [overflow-wrap:anywhere] md:text-[15px]">
      <Suspense fallback={<PlainText {...props} />}>
        <MarkdownText {...props} />
      </Suspense>
    </div>
  );
}
