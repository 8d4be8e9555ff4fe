import { isCalledNote, type Message } from '@roster/contracts/chat';
import { RotateCw, Shuffle } from 'lucide-react';
import type { ReactNode } from 'react';
import { withArrived } from '#web/data/runs/run-message.ts';
import { useLiveRun } from '#web/data/runs/run-store.ts';
import { PickerButton } from '#web/features/chat/answerers/answerer-menu.tsx';
import { AnswerFailure } from '#web/features/chat/runs/answer-failure.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { AnswerText } from '#web/ui/markdown/answer-text.tsx';
import { onDemand } from '#web/ui/markdown/on-demand.tsx';
import { AnswerFigures } from './answer-figures.tsx';
import { BranchSwitcher } from './branch-switcher.tsx';
import { MessageTools } from './message-tools.tsx';
import { isUnderWay } from './message-window.ts';
import { Reasoning } from './reasoning.tsx';
import { useThreadActions } from './thread-actions.ts';
import { ToolCalls } from './tool-calls.tsx';

/** Loaded when an answer can be rated; where that fails, the answer is there without it. */
const NoRating = () => null;
const RatingRoom = () => <span className="w-23 max-md:w-32" />;
const AnswerRating = onDemand<{ message: Message }>(
  async () => (await import('./answer-rating.tsx')).AnswerRating,
  NoRating,
  RatingRoom,
);
const CorrectionMark = onDemand<{ message: Message; correction: string }>(
  async () => (await import('./correction-mark.tsx')).CorrectionMark,
  NoRating,
);

export function Answer({ message }: { message: Message }) {
  return (
    <article aria-label="Answer" data-hovered>
      <AnswerContent message={message}>{(now) => !isUnderWay(now) && <AnswerTools message={now} />}</AnswerContent>
    </article>
  );
}

/** What the provider does itself, it does before it answers; functions are called at the end. */
const providersTools = ['file_search', 'code_interpreter'] as const;
const functions = ['function'] as const;

type AnswerContentProps = { message: Message; children: (now: Message) => ReactNode };

/** What an answer says, while it is written and after; below it stands what its place adds. */
export function AnswerContent({ message: stored, children }: AnswerContentProps) {
  const isGrowing = isUnderWay(stored);
  const run = useLiveRun(isGrowing ? (stored.run?.id ?? null) : null);
  const message = isGrowing ? withArrived(stored, run) : stored;
  const { text, reasoning } = message;
  // The same parts before and after the end: what a reader has opened or wrapped stays so.
  return (
    <>
      <Reasoning text={reasoning} live={isGrowing} />
      <ToolCalls message={message} of={providersTools} />
      <AnswerText text={text} live={isGrowing} />
      <ToolCalls message={message} of={functions} />
      <Sources names={message.sources} />
      {isGrowing ? (
        <Progress run={run} text={text} reasoning={reasoning} notes={message.notes} />
      ) : (
        <Outcome message={message} />
      )}
      {children(message)}
    </>
  );
}

type ProgressProps = {
  run: ReturnType<typeof useLiveRun>;
  text: string;
  reasoning: string;
  notes: readonly string[];
};

function Progress({ run, text, reasoning, notes }: ProgressProps) {
  const state =
    run?.connection === 'lost'
      ? 'The connection was lost and is being made again. The answer goes on meanwhile.'
      : text !== ''
        ? null
        : reasoning !== ''
          ? 'Thinking'
          : 'Waiting for the model';
  return (
    <>
      <p className="flex min-h-7 items-center gap-2 text-muted-foreground text-sm">
        <span aria-hidden="true" className="size-2 animate-pulse rounded-full bg-primary" />
        {state}
      </p>
      <Notes notes={notes} />
    </>
  );
}

function Outcome({ message }: { message: Message }) {
  const { calls, notes } = message;
  // What the calls themselves say, once they are known.
  const others = calls ? notes.filter((note) => !isCalledNote(note)) : notes;
  return (
    <>
      {message.state === 'complete' && message.text === '' && !notes.some(isCalledNote) && (
        <p className="text-muted-foreground">The model gave an empty answer.</p>
      )}
      {message.state === 'stopped' && <p className="mt-2 text-muted-foreground text-sm">Stopped</p>}
      <Notes notes={others} />
      <AnswerFailure message={message} />
    </>
  );
}

function AnswerTools({ message }: { message: Message }) {
  const { regenerate, blockedReason } = useThreadActions();
  // Nothing is before it any more that could be answered again.
  const hasQuestion = message.parentId !== null;
  const hasFailed = message.state === 'failed' || message.state === 'interrupted';
  const correction = message.rating?.correction;
  return (
    <>
      <MessageTools className="mt-1.5 -ms-1.5">
        {message.text !== '' && <CopyButton text={message.text} label="Copy answer" className="max-md:size-10" />}
        {!hasFailed && hasQuestion && (
          <IconButton
            label="Regenerate"
            tooltip={blockedReason ?? 'Regenerate'}
            icon={RotateCw}
            size="sm"
            disabled={blockedReason !== undefined}
            onClick={() => regenerate(message.id)}
            className="max-md:size-10"
          />
        )}
        {hasQuestion && <AnotherModel messageId={message.id} />}
        {!hasFailed && message.text.trim() !== '' && <AnswerRating message={message} />}
        <BranchSwitcher message={message} />
        <AnswerFigures message={message} />
      </MessageTools>
      {correction && <CorrectionMark message={message} correction={correction} />}
    </>
  );
}

function AnotherModel({ messageId }: { messageId: number }) {
  const { regenerate, blockedReason } = useThreadActions();
  return (
    <PickerButton
      label="Answer with another model"
      current={null}
      modelsOnly
      onChoose={({ model }) => model !== null && regenerate(messageId, model)}
      button={(props) => (
        <IconButton
          label="Answer with another model"
          tooltip={blockedReason ?? 'Answer again with another model'}
          icon={Shuffle}
          size="sm"
          disabled={blockedReason !== undefined}
          className="max-md:size-10"
          {...props}
        />
      )}
    />
  );
}

/** The files that the answer is taken from. */
function Sources({ names }: { names: readonly string[] }) {
  return (
    names.length > 0 && (
      <p className="wrap-anywhere mt-2 text-muted-foreground text-sm">{`Sources: ${names.join(', ')}`}</p>
    )
  );
}

/** What Roster did differently than asked. */
function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul className="mt-2 space-y-0.5 text-muted-foreground text-sm">
      {[...new Set(notes)].map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}
