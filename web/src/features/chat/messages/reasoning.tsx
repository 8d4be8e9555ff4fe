import { ChevronRight } from 'lucide-react';
import { type MouseEvent, useState } from 'react';
import { AnswerText } from '#web/ui/markdown/answer-text.tsx';

type ReasoningProps = {
  text: string;
  live: boolean;
  /** Nothing but reasoning has arrived so far. */
  isThinking: boolean;
  thoughtMs: number | undefined;
};

/** 'less than a second', '12 s', '2 min 5 s' */
function inWords(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 1) return 'less than a second';
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * The model's reasoning: open while it is written and collapsed when the answer starts, unless the user has toggled it.
 */
export function Reasoning({ text, live, isThinking, thoughtMs }: ReasoningProps) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  if (text === '') return null;
  const isOpen = chosen ?? isThinking;
  const toggle = (event: MouseEvent) => {
    event.preventDefault();
    setChosen(!isOpen);
  };
  return (
    <details open={isOpen} className="group/reasoning mb-3">
      {/** biome-ignore lint/a11y/noStaticElementInteractions: a summary is a button */}
      <summary
        onClick={toggle}
        className="-ms-1.5 inline-flex min-h-7 list-none items-center gap-1 rounded-sm pe-2 ps-1 text-muted-foreground text-sm hover:text-foreground max-md:min-h-10 [&::-webkit-details-marker]:hidden"
      >
        <ChevronRight
          aria-hidden
          className="size-4 transition-transform duration-120 group-open/reasoning:rotate-90 rtl:group-open/reasoning:-rotate-90"
        />
        <span>{live && thoughtMs === undefined ? 'Reasoning …' : 'Reasoning'}</span>
        {thoughtMs !== undefined && <span>{`· Thought for ${inWords(thoughtMs)}`}</span>}
      </summary>
      <div className="mt-1 border-border border-s-2 ps-4 text-muted-foreground">
        <AnswerText text={text} live={live} />
      </div>
    </details>
  );
}
