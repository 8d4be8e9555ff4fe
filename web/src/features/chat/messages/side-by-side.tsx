import type { Message } from '@roster/contracts/chat';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowRight, Square } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { modelName } from '#web/api/model-names.ts';
import { findModel, modelsQuery } from '#web/api/models.ts';
import { mergeLiveRun } from '#web/api/runs/run-message.ts';
import { useLiveRun, watchRun } from '#web/api/runs/run-store.ts';
import { useConnectionNames } from '#web/api/use-model-name.ts';
import { answersQuery } from '#web/features/chat/shared/answers.ts';
import { awaitedAnswer } from '#web/features/chat/shared/message-changes.ts';
import { isInProgress } from '#web/features/chat/shared/message-window.ts';
import { useThreadActions } from '#web/features/chat/shared/thread-actions.ts';
import { refreshThread } from '#web/features/chat/shared/thread-cache.ts';
import { mediaQueryStore, useStore } from '#web/lib/store.ts';
import { formatCost, formatNumber } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Tabs } from '#web/ui/tabs.tsx';
import { AnswerContent } from './answer.tsx';

const wide = mediaQueryStore('(min-width: 1024px)');

/** True if there is room for parallel answers side by side. */
const useWide = (): boolean => useStore(wide);

/** Parallel answers in the order requested; the shown one is taken from the list, which is newer. */
function useParallelAnswers(shown: Message): readonly Message[] {
  const { threadId, parentId, together } = shown;
  const answers = useQuery({ ...answersQuery(threadId, parentId ?? 0), enabled: parentId !== null });
  return together.map(
    (id) =>
      (id === shown.id ? shown : answers.data?.find((answer) => answer.id === id)) ?? {
        ...awaitedAnswer(shown, { id: 0, threadId, messageId: id, state: 'queued' }),
        parentId,
        run: null,
      },
  );
}

/** Hidden pages release their streams: browsers allow few connections per server. */
function usePageVisible(): boolean {
  const [isSeen, setSeen] = useState(!document.hidden);
  useEffect(() => {
    const change = () => setSeen(!document.hidden);
    document.addEventListener('visibilitychange', change);
    return () => document.removeEventListener('visibilitychange', change);
  }, []);
  return isSeen;
}

type FollowedProps = { answer: Message; run: NonNullable<Message['run']> };

/** Watches a parallel answer; the page watches the shown one itself. */
function RunWatcher({ answer: { id, threadId, parentId }, run: { id: runId } }: FollowedProps) {
  const client = useQueryClient();
  useEffect(() => {
    if (parentId === null) return;
    const { queryKey } = answersQuery(threadId, parentId);
    return watchRun(runId, (run) => {
      if (run)
        client.setQueryData(queryKey, (known) =>
          known?.map((answer) => (answer.id === id ? mergeLiveRun(answer, run) : answer)),
        );
      Promise.all([client.invalidateQueries({ queryKey }), refreshThread(client, threadId)]).catch(reportError);
    });
  }, [client, id, parentId, runId, threadId]);
  return null;
}

const states: Record<Message['state'], string> = {
  queued: 'Waiting',
  running: 'Writing',
  waiting: 'Waiting for you',
  complete: 'Complete',
  stopped: 'Stopped',
  failed: 'Failed',
  interrupted: 'Interrupted',
};

const nameOf = ({ model }: Message, index: number) => (model === null ? `Model ${index + 1}` : modelName(model));

/** Answers of several models to one question: columns, or tabs if there is not enough room. */
export function SideBySide({ message: shown }: { message: Message }) {
  const answers = useParallelAnswers(shown);
  useConnectionNames(...answers.map(({ model }) => model));
  const isSeen = usePageVisible();
  const isWide = useWide();
  return (
    <>
      {isSeen &&
        answers.map(
          (answer) =>
            answer.id !== shown.id &&
            answer.run &&
            isInProgress(answer) && <RunWatcher key={answer.id} answer={answer} run={answer.run} />,
        )}
      {isWide ? <Columns answers={answers} /> : <InTabs answers={answers} />}
    </>
  );
}

/** Columns that fit do not scroll: their heads stay in sight while the messages do. */
const fitting = ['@min-[396px]:overflow-visible', '@min-[600px]:overflow-visible', '@min-[804px]:overflow-visible'];

function Columns({ answers }: { answers: readonly Message[] }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: these are no form fields.
    <div role="group" aria-label={`${answers.length} answers side by side`} className="@container pb-2">
      <div className={classNames('overflow-x-auto', fitting[answers.length - 2])}>
        <div
          style={{ gridTemplateColumns: `repeat(${answers.length}, minmax(12rem, 1fr))` }}
          className="grid items-stretch gap-3"
        >
          {answers.map((answer, index) => (
            <Column key={answer.id} answer={answer} name={nameOf(answer, index)} hasName />
          ))}
        </div>
      </div>
    </div>
  );
}

function InTabs({ answers }: { answers: readonly Message[] }) {
  const [chosen, setChosen] = useState('0');
  const index = Number(chosen);
  const current = answers[index];
  return (
    <Tabs
      label={`${answers.length} answers`}
      value={chosen}
      onValueChange={setChosen}
      items={answers.map((answer, at) => ({
        value: String(at),
        label: (
          <span className="font-mono text-sm">
            {nameOf(answer, at)}
            {isInProgress(answer) && <WritingMark answer={answer} />}
          </span>
        ),
      }))}
    >
      <div className="pt-3">
        {current && <Column key={current.id} answer={current} name={nameOf(current, index)} />}
      </div>
    </Tabs>
  );
}

function WritingMark({ answer }: { answer: Message }) {
  const { state } = mergeLiveRun(answer, useLiveRun(answer.run?.id ?? null));
  return (
    <span className="ms-2 inline-block size-1.5 animate-pulse rounded-full bg-primary">
      <span className="sr-only">{states[state]}</span>
    </span>
  );
}

type ColumnProps = { answer: Message; name: string; hasName?: boolean | undefined };

function Column({ answer, name, hasName }: ColumnProps) {
  return (
    <article
      aria-label={`Answer of ${name}`}
      className="flex h-full min-w-0 flex-col rounded-lg border border-border bg-card px-3.5 pt-2.5 pb-2"
    >
      {hasName && (
        <h3
          title={name}
          className="wrap-anywhere -mx-3.5 -mt-2.5 sticky top-0 z-10 mb-2 rounded-t-lg bg-card px-3.5 pt-2.5 font-medium font-mono text-sm after:mt-2 after:block after:border-border after:border-b"
        >
          {name}
          {isInProgress(answer) && <HeadState answer={answer} />}
        </h3>
      )}
      <AnswerContent message={answer}>
        {(now) => <ColumnFoot answer={now} name={name} hasName={hasName} />}
      </AnswerContent>
    </article>
  );
}

/** Beside the name, because the foot of a long answer is out of sight. */
function HeadState({ answer }: { answer: Message }) {
  const { state } = mergeLiveRun(answer, useLiveRun(answer.run?.id ?? null));
  return <span className="ms-2 font-normal font-sans text-muted-foreground">{states[state]}</span>;
}

function ColumnFoot({ answer, name, hasName }: ColumnProps) {
  const { choice, continueWith, stopRun } = useThreadActions();
  const { run, state, text } = answer;
  const isGrowing = isInProgress(answer);
  return (
    <div className="mt-auto pt-2">
      <div className="flex items-end gap-1">
        <p className="flex flex-1 flex-wrap gap-x-2.5 pb-1 text-muted-foreground text-xs tabular-nums">
          <output>{isGrowing && hasName ? '' : states[state]}</output>
          {isGrowing ? (
            <GrowingFigures answer={answer} />
          ) : (
            figuresOf(answer).map((figure) => <bdi key={figure}>{figure}</bdi>)
          )}
        </p>
        {text !== '' && <CopyButton text={text} label={`Copy the answer of ${name}`} className="max-md:size-10" />}
      </div>
      {isGrowing && run ? (
        <Button
          size="sm"
          icon={Square}
          aria-label={`Stop ${name}`}
          onClick={() => stopRun(run.id)}
          className="mt-1 w-full max-md:h-10"
        >
          Stop
        </Button>
      ) : (
        <>
          <Button size="sm" icon={ArrowRight} onClick={() => continueWith(answer)} className="mt-1 w-full max-md:h-10">
            Continue with this answer
            <span className="sr-only">: {name}</span>
          </Button>
          {choice.assistantId === null && answer.model !== null && <ModelLinks model={answer.model} />}
        </>
      )}
    </div>
  );
}

const linkClass =
  'inline-flex items-center rounded-xs underline-offset-4 hover:text-foreground hover:underline max-md:min-h-10';

/** Ways to keep using a model that has won. */
function ModelLinks({ model }: { model: string }) {
  const { mayEdit } = useEditAccess();
  return (
    <p className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-muted-foreground text-xs">
      {mayEdit && (
        <Link to="/assistants/new" search={{ model }} className={linkClass}>
          Save as assistant
          <span className="sr-only">: {model}</span>
        </Link>
      )}
      <Link to="/connect" search={{ model }} className={linkClass}>
        Use in a program
        <span className="sr-only">: {model}</span>
      </Link>
    </p>
  );
}

const secondsBetween = (from: string, to: number) => Math.max(0, to - new Date(from).getTime()) / 1000;
const inSeconds = (seconds: number) => `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;

/** Time so far, and the price of what has been written so far, counted roughly until the provider reports tokens. */
function GrowingFigures({ answer: { createdAt, continued, model, text, reasoning } }: { answer: Message }) {
  const models = useQuery(modelsQuery);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 200);
    return () => clearInterval(timer);
  }, []);
  const price = model === null ? null : findModel(models.data, model)?.price;
  const cost = price ? ((text.length + reasoning.length) / charactersPerToken / 1_000_000) * price.output : 0;
  return (
    <span aria-hidden="true" className="flex flex-wrap gap-x-2.5">
      {!continued && <span>{inSeconds(secondsBetween(createdAt, now))}</span>}
      {cost > 0 && <span title="Estimated from the text so far">≈ {formatCost(cost)}</span>}
    </span>
  );
}

const charactersPerToken = 4;

/** Cost, tokens and duration, as far as known. */
function figuresOf({ usage, createdAt, finishedAt, continued }: Message): string[] {
  const about = usage?.estimated ? '≈ ' : '';
  // The duration is meaningless if the answer was continued later.
  const seconds = finishedAt === null || continued ? null : secondsBetween(createdAt, new Date(finishedAt).getTime());
  return [
    usage && (usage.costUsd === null ? 'no price known' : `${about}${formatCost(usage.costUsd)}`),
    usage && `${about}${formatNumber(usage.inputTokens + usage.outputTokens)} tokens`,
    seconds === null ? null : inSeconds(seconds),
  ].filter((figure) => figure !== null);
}
