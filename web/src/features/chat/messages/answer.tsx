import type { Message } from '@roster/contracts/chat';
import { isFunctionCallNote } from '@roster/contracts/text/function-call-note';
import { insertMarks, numberedLinks } from '@roster/contracts/text/numbered-links';
import type { PlacedLink } from '@roster/contracts/text/web-links';
import { Fragment, type ReactNode, useEffect, useMemo, useState } from 'react';
import { mergeLiveRun } from '#web/api/runs/run-message.ts';
import { awaitsApproval, useLiveRun } from '#web/api/runs/run-store.ts';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { Foldable } from '#web/features/chat/folding/foldable.tsx';
import { AnswerFailure } from '#web/features/chat/runs/answer-failure.tsx';
import { isInProgress } from '#web/features/chat/shared/message-window.ts';
import { useSummarizing } from '#web/features/chat/shared/use-summarizing.ts';
import {
  PendingAnswer,
  RawAnswer,
  type StructuredAnswerProps,
} from '#web/features/chat/structured-output/raw-answer.tsx';
import { CitedPages } from '#web/features/chat/web-links/cited-pages.tsx';
import { lazyPart } from '#web/lib/lazy.ts';
import { classNames } from '#web/ui/class-names.ts';
import { AnswerText } from '#web/ui/markdown/answer-text.tsx';
import { sourceMark } from '#web/ui/markdown/source-marks.ts';
import { AnswerTools } from './answer-tools.tsx';
import { Reasoning } from './reasoning.tsx';
import { ToolCalls } from './tool-calls.tsx';

/** If a part fails to load, the answer is shown without it. */
const Nothing = () => null;
const StructuredAnswer = lazyPart<StructuredAnswerProps>(
  async () => (await import('#web/features/chat/structured-output/structured-answer.tsx')).StructuredAnswer,
  { pending: PendingAnswer, failed: RawAnswer },
);

/** Loaded on demand: most answers have no files. */
const GeneratedFiles = lazyPart<{ message: Message }>(
  async () => (await import('#web/features/chat/generated-files/generated-files.tsx')).GeneratedFiles,
  { failed: Nothing },
);

export function Answer({ message }: { message: Message }) {
  return (
    <article aria-label="Answer" data-hovered>
      <AnswerContent message={message}>{(now) => !isInProgress(now) && <AnswerTools message={now} />}</AnswerContent>
    </article>
  );
}

type AnswerContentProps = { message: Message; children: (now: Message) => ReactNode };

/** Content of an answer, while it is written and afterwards; `children` follow below it. */
export function AnswerContent({ message: stored, children }: AnswerContentProps) {
  const isGrowing = isInProgress(stored);
  const run = useLiveRun(isGrowing ? (stored.run?.id ?? null) : null);
  const message = isGrowing ? mergeLiveRun(stored, run) : stored;
  const { reasoning } = message;
  // The same elements before and after the end, so that opened or wrapped parts stay so.
  return (
    <>
      <Reasoning
        text={reasoning}
        live={isGrowing}
        isThinking={isGrowing && message.text === ''}
        thoughtMs={message.thoughtMs}
      />
      <Foldable messageId={message.id} isGrowing={isGrowing}>
        <CitedPages links={message.links ?? none}>
          <TextWithCalls message={message} live={isGrowing} />
        </CitedPages>
      </Foldable>
      {hasMade(message) && <GeneratedFiles message={message} />}
      <Sources names={message.sources} />
      {isGrowing ? (
        <Progress run={run} message={message} isResuming={stored.state === 'queued' && message.text === stored.text} />
      ) : (
        <Outcome message={message} />
      )}
      {children(message)}
    </>
  );
}

/** A stable reference, so that nothing rerenders. */
const none: readonly PlacedLink[] = [];

const hasMade = ({ files, unkept }: Message) => files.length > 0 || unkept !== undefined;

/** Tool calls appear at the position where the model made them. */
function TextWithCalls({ message, live }: { message: Message; live: boolean }) {
  const { text, calls = [], waitsUntil, threadId, run } = message;
  const marked = useCitationMarks(message);
  const places = [...new Set(calls.map(({ at }) => Math.min(at, text.length)))].sort((a, b) => a - b);
  const last = places.at(-1) ?? 0;
  return (
    <>
      {places.map((at, index) => {
        const from = places[index - 1] ?? 0;
        return (
          <Fragment key={at}>
            {at > from && <AnswerText text={marked(from, at)} live={false} />}
            <ToolCalls
              calls={calls.filter((call) => Math.min(call.at, text.length) === at)}
              waitsUntil={waitsUntil}
              place={live && run ? { threadId, runId: run.id } : undefined}
            />
          </Fragment>
        );
      })}
      {(last < text.length || places.length === 0) && (
        <FinalText key={last} message={message} from={last} live={live} marked={marked} />
      )}
    </>
  );
}

type Marked = (from: number, to?: number) => string;
type SaidProps = { message: Message; from: number; live: boolean; marked: Marked };

/** Inserts citation marks into a part of the text. */
function useCitationMarks(message: Message): Marked {
  const { text } = message;
  const links: readonly PlacedLink[] = message.links ?? none;
  const { marks } = useMemo(() => numberedLinks(links), [links]);
  return (from, to) => insertMarks(text, marks, sourceMark, from, to);
}

/** The final text; only that follows the response schema. */
function FinalText({ message: { threadId, run, state, hasSchema, text }, from, live, marked }: SaidProps) {
  if (!hasSchema) return <AnswerText text={marked(from)} live={live} />;
  return (
    <div data-searched>
      <StructuredAnswer
        text={text.slice(from)}
        threadId={threadId}
        runId={run?.id ?? null}
        live={live}
        isWhole={state === 'complete'}
      />
    </div>
  );
}

type ProgressProps = {
  run: ReturnType<typeof useLiveRun>;
  message: Message;
  /** The answer is being continued and nothing new has arrived. */
  isResuming: boolean;
};

const slowAfterMs = 10_000;

/**
 * A model that must be loaded first, or reasons silently, may take minutes to its first token: say what we are waiting
 * for.
 */
function Waiting({ message }: { message: Message }) {
  const isSummarizing = useSummarizing(message);
  const provider = useProviderName();
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowAfterMs);
    return () => clearTimeout(timer);
  }, []);
  if (isSummarizing) return 'Summarizing earlier messages…';
  return isSlow ? `Waiting for ${provider} to load the model…` : 'Waiting for the model';
}

function Progress({ run, message, isResuming }: ProgressProps) {
  const { text, reasoning, notes, calls = [] } = message;
  const waits = calls.some(awaitsApproval);
  // Running calls have a status line of their own.
  const isCalling = calls.some(({ state: now }) => now === 'running');
  const state = waits ? (
    'Waiting for your approval'
  ) : run?.connection === 'lost' ? (
    'Connection lost. Reconnecting; the answer continues in the meantime.'
  ) : (text !== '' && !isResuming) || isCalling ? null : reasoning !== '' && !isResuming ? (
    'Thinking'
  ) : (
    <Waiting message={message} />
  );
  return (
    <>
      <p className="flex min-h-7 items-center gap-2 text-muted-foreground text-sm">
        <span
          aria-hidden="true"
          className={classNames('size-2 rounded-full', waits ? 'bg-accent' : 'animate-pulse bg-primary')}
        />
        {state}
      </p>
      <Notes notes={notes} />
    </>
  );
}

function Outcome({ message }: { message: Message }) {
  const { calls, notes } = message;
  // Notes that repeat what visible calls show.
  const others = calls ? notes.filter((note) => !isFunctionCallNote(note)) : notes;
  return (
    <>
      {message.state === 'complete' && message.text === '' && !notes.some(isFunctionCallNote) && !hasMade(message) && (
        <p className="text-muted-foreground">The model returned an empty answer.</p>
      )}
      <Notes notes={others} />
      <AnswerFailure message={message} />
    </>
  );
}

/** Files that the answer cites. */
function Sources({ names }: { names: readonly string[] }) {
  return (
    names.length > 0 && (
      <p className="wrap-anywhere mt-2 text-muted-foreground text-sm">{`Sources: ${names.join(', ')}`}</p>
    )
  );
}

/** Notes on where Roster deviated from the request. */
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
