import { ChevronRight } from 'lucide-react';
import { AnswerText } from '#web/ui/markdown/answer-text.tsx';

/** The model's summary of its thinking, folded away until it is opened. */
export function Reasoning({ text, live }: { text: string; live: boolean }) {
  if (text === '') return null;
  return (
    <details className="group/reasoning mb-3">
      <summary className="-ms-1.5 inline-flex min-h-7 list-none items-center gap-1 rounded-sm pe-2 ps-1 text-muted-foreground text-sm hover:text-foreground max-md:min-h-10 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 transition-transform duration-120 group-open/reasoning:rotate-90 rtl:group-open/reasoning:-rotate-90"
        />
        {live ? 'Reasoning …' : 'Reasoning'}
      </summary>
      <div className="mt-1 border-border border-s-2 ps-4 text-muted-foreground">
        <AnswerText text={text} live={live} />
      </div>
    </details>
  );
}
