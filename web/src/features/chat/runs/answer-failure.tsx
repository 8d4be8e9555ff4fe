import type { Message } from '@roster/contracts/chat';
import { connectionIdOf } from '@roster/contracts/models/model-reference';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowDownToLine, Pencil, RotateCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { connectionsQuery } from '#web/api/connections.ts';
import { modelName } from '#web/api/model-names.ts';
import { SettingsLink } from '#web/components/settings-link.tsx';
import { ChatTargetMenu } from '#web/features/chat/chat-targets/chat-target-menu.tsx';
import { useThreadActions } from '#web/features/chat/shared/thread-actions.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { endedEarlyTexts } from './ended-early-texts.ts';
import { adviceFor, adviceForOffered, splitMessage } from './failure-advice.ts';

const SummarizeOffer = lazyPart(
  async () => (await import('#web/features/chat/summaries/summarize-offer.tsx')).SummarizeOffer,
);

/** Whole seconds until a moment, counting down to 0. */
function useSecondsUntil(moment: number): number {
  const secondsLeft = () => Math.max(0, Math.ceil((moment - Date.now()) / 1000));
  const [left, setLeft] = useState(secondsLeft);
  useEffect(() => {
    if (left === 0) return;
    const timer = setTimeout(() => setLeft(Math.max(0, Math.ceil((moment - Date.now()) / 1000))), 500);
    return () => clearTimeout(timer);
  });
  return left;
}

/** A person’s own connection is repaired in Settings, an offered one by an administrator. */
function useAdvice({ model, error }: Message) {
  const code = error?.code ?? 'internal';
  const connectionId = model === null ? null : connectionIdOf(model);
  const forOffered = connectionId === null ? null : adviceForOffered(code);
  const { data } = useQuery({ ...connectionsQuery, enabled: forOffered !== null });
  const isOwn = data?.connections.some(({ id }) => id === connectionId) ?? true;
  return isOwn || forOffered === null ? adviceFor(code) : forOffered;
}

/** Explains why an answer is missing or incomplete, and what to do. */
export function AnswerFailure({ message }: { message: Message }) {
  const { endedEarly } = message;
  if (message.state === 'stopped' || (endedEarly && message.text.trim() !== ''))
    return (
      <p className="mt-2 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 text-muted-foreground text-sm">
        <span>{endedEarly ? endedEarlyTexts[endedEarly] : 'Stopped'}</span>
        <Continue message={message} />
      </p>
    );
  if (message.state === 'interrupted') {
    return (
      <Notice
        tone="warning"
        title="Interrupted: the server stopped while writing this answer"
        action={
          <>
            <Continue message={message} />
            <TryAgain message={message} waitUntil={0} />
          </>
        }
        className="mt-3"
      >
        The text received so far is kept.
      </Notice>
    );
  }
  return message.state === 'failed' ? <FailedAnswer message={message} /> : null;
}

function FailedAnswer({ message }: { message: Message }) {
  const { error } = message;
  const { hint, steps } = useAdvice(message);
  const { title, rest } = splitMessage(error?.message ?? 'The answer failed.');
  const endedAt = new Date(message.finishedAt ?? message.createdAt).getTime();
  return (
    <Notice
      tone="destructive"
      title={title}
      className="mt-3"
      action={
        steps.length > 0 && (
          <>
            <Continue message={message} />
            {steps.includes('settings') && <SettingsLink />}
            {error?.successor && <UseSuccessor message={message} successor={error.successor} />}
            {steps.includes('assistant') && <OtherAssistant />}
            {steps.includes('edit') && <EditQuestion message={message} />}
            {error?.code === 'context_too_long' && message.parentId !== null && (
              <SummarizeOffer threadId={message.threadId} before={message.parentId} />
            )}
            {steps.includes('again') && (
              <TryAgain message={message} waitUntil={endedAt + (error?.retryAfterSeconds ?? 0) * 1000} />
            )}
          </>
        )
      }
    >
      {rest !== '' && <p className="[overflow-wrap:anywhere]">{rest}</p>}
      <p>{error?.successor ? `Its successor is ${modelName(error.successor)}.` : hint}</p>
    </Notice>
  );
}

/** Renders nothing if the answer has no text or is not the head. */
function Continue({ message }: { message: Message }) {
  const { continuing, blockedReason } = useThreadActions();
  const go = continuing(message);
  return (
    go && (
      <Button size="sm" icon={ArrowDownToLine} className="max-md:h-10" disabledReason={blockedReason} onClick={go}>
        Continue
      </Button>
    )
  );
}

function TryAgain({ message, waitUntil }: { message: Message; waitUntil: number }) {
  const { regenerate, blockedReason } = useThreadActions();
  const left = useSecondsUntil(waitUntil);
  return (
    <Button
      size="sm"
      icon={RotateCw}
      className="max-md:h-10"
      disabledReason={blockedReason ?? (left > 0 ? 'The provider asked to wait.' : undefined)}
      onClick={() => regenerate(message.id)}
    >
      <span className="tabular-nums">{left > 0 ? `Try again in ${left} s` : 'Try again'}</span>
    </Button>
  );
}

/** An assistant keeps its model until it is migrated; a plain model is replaced by its successor at once. */
function UseSuccessor({ message, successor }: { message: Message; successor: string }) {
  const { choice, choose, regenerate, blockedReason } = useThreadActions();
  if (choice.assistantId !== null)
    return (
      <Link to="/assistants/models" className={buttonClass({ size: 'sm', className: 'max-md:h-10' })}>
        Retiring models
      </Link>
    );
  return (
    <Button
      size="sm"
      className="max-md:h-10"
      disabledReason={blockedReason}
      onClick={() => {
        choose({ assistantId: null, model: successor });
        regenerate(message.id, successor);
      }}
    >
      {`Continue with ${modelName(successor)}`}
    </Button>
  );
}

function EditQuestion({ message }: { message: Message }) {
  const { edit, blockedReason } = useThreadActions();
  const { parentId } = message;
  if (parentId === null) return null;
  return (
    <Button
      size="sm"
      icon={Pencil}
      className="max-md:h-10"
      disabledReason={blockedReason}
      onClick={() => edit(parentId)}
    >
      Edit the question
    </Button>
  );
}

function OtherAssistant() {
  const { choice, choose } = useThreadActions();
  return <ChatTargetMenu current={choice} onChoose={choose} label="Choose another assistant or model" />;
}
