import type { ComparisonPrompt, Vote } from '@roster/contracts/comparisons/comparisons';
import type { Verdict } from '@roster/contracts/comparisons/judging';
import { ChevronRight, RotateCw, Send, Square } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { formatCount } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { AnswerColumn } from './answer-column.tsx';
import { VerdictLine } from './judging/verdict-line.tsx';
import { AskProblem } from './shared/ask-problem.tsx';
import { orderOf } from './shared/figures.ts';
import { isOpen, runsOf, sidesIn } from './shared/queries.ts';
import type { Side, SideNames } from './shared/sides.ts';
import { VoteButtons } from './vote-buttons.tsx';

export type PromptActions = {
  ask: (promptId: number, again: boolean) => void;
  stop: (runIds: readonly number[]) => void;
  vote: (promptId: number, vote: Vote | null) => void;
};

type PromptCardProps = {
  comparisonId: number;
  number: number;
  prompt: ComparisonPrompt;
  sides: readonly Side[];
  /** Names of the sides and their models. */
  names: SideNames;
  models: Record<Side, string>;
  isBlind: boolean;
  /** The judge's verdict. */
  verdict: Verdict | undefined;
  /** Reason for Viewers why nothing can be asked or voted on. */
  reason: string | undefined;
  /** Temporary reason why nothing can be asked. */
  blockedReason: string | undefined;
  actions: PromptActions;
  /** Why this prompt was refused. */
  problem: AskRefusal | null;
};

export type AskRefusal = { error: unknown; askAnyway: () => void };

/** Letters that hide the models, by position. */
const blindNames = (left: Side): Record<Side, string> =>
  left === 'candidate' ? { candidate: 'A', baseline: 'B' } : { candidate: 'B', baseline: 'A' };

/** A prompt with both answers side by side, or stacked if there is not enough room. */
export const PromptCard = memo(function PromptCard(props: PromptCardProps) {
  const { comparisonId, number, prompt, models, isBlind, verdict, reason, blockedReason, actions, problem } = props;
  const sides = sidesIn(prompt, props.sides);
  const { id, vote } = prompt;
  const isPair = sides.length > 1;
  const isHidden = isPair && isBlind && vote === null;
  const order = isPair ? orderOf(id, isBlind) : sides;
  const names = isHidden ? blindNames(order[0] ?? 'candidate') : props.names;
  const isAnswered = isAsked(prompt, sides) && sides.some((side) => prompt[side]?.text !== '');
  const isBusy = runsOf(prompt).length > 0;
  return (
    <Card aria-label={`Prompt ${number}`}>
      <PromptHead number={number} prompt={prompt} />
      <div
        className={classNames(
          'grid divide-border border-border border-t',
          isPair && 'max-md:divide-y md:grid-cols-2 md:divide-x',
        )}
      >
        {order.map((side) => (
          <AnswerColumn
            key={side}
            comparisonId={comparisonId}
            promptId={id}
            answer={prompt[side]}
            name={names[side]}
            model={isHidden ? null : (prompt[side]?.stored?.model ?? models[side])}
            isBetter={vote === side}
          />
        ))}
      </div>
      {verdict && !isHidden && <VerdictLine verdict={verdict} names={props.names} />}
      {problem && (
        <div className="border-border border-t px-5 py-4">
          <AskProblem error={problem.error} isWaiting={false} onAskAnyway={problem.askAnyway} />
        </div>
      )}
      <footer className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-border border-t px-5 py-3">
        {isPair ? (
          <VoteButtons
            order={order}
            names={names}
            vote={vote}
            disabledReason={reason ?? (isAnswered && !isBusy ? undefined : 'Wait for both answers first.')}
            onVote={(choice) => actions.vote(id, choice)}
          />
        ) : (
          <span />
        )}
        <AskButton prompt={prompt} sides={sides} reason={reason} blockedReason={blockedReason} actions={actions} />
      </footer>
    </Card>
  );
});

const isAsked = (prompt: ComparisonPrompt, sides: readonly Side[]) => sides.every((side) => prompt[side] !== null);

type AskButtonProps = Pick<PromptCardProps, 'prompt' | 'sides' | 'reason' | 'blockedReason' | 'actions'>;

/** Asks both models, or stops their answers. */
function AskButton({ prompt, sides, reason, blockedReason, actions }: AskButtonProps) {
  const runs = runsOf(prompt);
  if (runs.length > 0)
    return (
      <Button
        size="sm"
        icon={Square}
        disabledReason={reason}
        onClick={() => actions.stop(runs)}
        className="max-md:h-10"
      >
        Stop
      </Button>
    );
  return (
    <Button
      size="sm"
      icon={isAsked(prompt, sides) ? RotateCw : Send}
      disabledReason={reason ?? blockedReason}
      onClick={() => actions.ask(prompt.id, !isOpen(prompt, sides))}
      className="max-md:h-10"
    >
      {!isAsked(prompt, sides) ? 'Ask' : isOpen(prompt, sides) ? 'Try again' : 'Ask again'}
    </Button>
  );
}

/** The question with its context collapsed. */
function PromptHead({ number, prompt }: { number: number; prompt: ComparisonPrompt }) {
  const { expected, instructions, turns } = prompt;
  const before = turns.slice(0, -1);
  return (
    <header className="px-5 pt-4 pb-4">
      <h2 className="text-muted-foreground text-sm">Prompt {number}</h2>
      <p className="wrap-anywhere mt-1 w-fit max-w-[80ch] whitespace-pre-wrap">{turns.at(-1)?.text}</p>
      <div className="mt-1 flex flex-col items-start">
        {instructions !== '' && <Folded label="Instructions">{instructions}</Folded>}
        {before.length > 0 && (
          <Folded label={`Earlier messages (${formatCount(before.length, 'message')})`}>
            {before.map(({ role, text }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they never change
              <span key={index} className="mb-2 block last:mb-0">
                <span className="block text-muted-foreground text-sm">{role === 'user' ? 'User' : 'Assistant'}</span>
                {text}
              </span>
            ))}
          </Folded>
        )}
        {expected !== null && <Folded label="Expected answer">{expected}</Folded>}
      </div>
    </header>
  );
}

function Folded({ label, children }: { label: string; children: ReactNode }) {
  return (
    <details className="group/folded max-w-full">
      <summary className="-ms-1.5 inline-flex min-h-7 list-none items-center gap-1 rounded-sm pe-2 ps-1 text-muted-foreground text-sm hover:text-foreground max-md:min-h-10 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 transition-transform duration-120 group-open/folded:rotate-90 rtl:group-open/folded:-rotate-90"
        />
        {label}
      </summary>
      <div className="wrap-anywhere mt-1 mb-2 w-fit max-w-[80ch] whitespace-pre-wrap border-border border-s-2 ps-4">
        {children}
      </div>
    </details>
  );
}
