import type { Thread } from '@roster/contracts/chat';
import type { RetiringModel } from '@roster/contracts/models/retirement';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useEditAccess } from '#web/api/current-user.ts';
import { useMigrateModels } from '#web/api/model-migrations.ts';
import { retirementQuery } from '#web/api/retirement.ts';
import { useModelName } from '#web/api/use-model-name.ts';
import { ModelName } from '#web/components/model-name.tsx';
import type { MessageWindow } from '#web/features/chat/shared/message-window.ts';
import { useThreadActions } from '#web/features/chat/shared/thread-actions.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatLongDate } from '#web/lib/text/format.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';

type ModelRetirementProps = { thread: Thread; messages: MessageWindow };
type Answering = { id: number; name: string; model: string } | undefined;

/** Without a chosen model, another one will replace the model of the last answer. */
const lastModel = ({ items, newerCursor }: MessageWindow) =>
  newerCursor === null ? items.findLast(({ role }) => role === 'assistant')?.model : undefined;

/** Asks how to continue once the model that answers here has retired. */
export function RetirementNotice({ thread, messages }: ModelRetirementProps) {
  const { data: ending } = useQuery(retirementQuery);
  const assistants = useQuery(assistantsQuery);
  const assistant = assistants.data?.find(({ id }) => id === thread.assistantId);
  if (thread.assistantId !== null && assistants.isPending) return null;
  const model = assistant?.model ?? thread.model ?? lastModel(messages);
  const end = ending?.find((one) => one.model === model);
  // Home and the assistant's card announce the end of a model.
  if (end?.lifecycle !== 'gone') return null;
  return (
    <div className="px-4 max-md:px-3">
      <div className="mx-auto mb-2 max-w-[760px]">
        <RetiredNotice end={end} assistant={assistant} />
      </div>
    </div>
  );
}

function RetiredNotice({ end, assistant }: { end: RetiringModel; assistant: Answering }) {
  const { choose, blockedReason } = useThreadActions();
  const { shutdownDate, successor } = end;
  const model = useModelName(end.model);
  const next = useModelName(successor ?? '');
  const title = successor === null ? `${model} has retired` : `${model} has retired. Continue with ${next}?`;
  const who = assistant ? (
    <>
      It was used by <bdi>{assistant.name}</bdi>
    </>
  ) : (
    'It was used here'
  );
  return (
    <Notice
      tone="warning"
      title={title}
      action={
        <>
          {successor !== null &&
            (assistant ? (
              <MigrateAssistant assistant={assistant} successor={successor} />
            ) : (
              <Button
                size="sm"
                variant="primary"
                className="max-md:h-10"
                disabledReason={blockedReason}
                onClick={() => choose({ assistantId: null, model: successor })}
              >
                {`Continue with ${next}`}
              </Button>
            ))}
          <Link to="/assistants/models" className={buttonClass({ size: 'sm', className: 'max-md:h-10' })}>
            Retiring models
          </Link>
        </>
      }
    >
      {who} until {formatLongDate(shutdownDate)}. Earlier answers are kept. You can also choose another assistant or
      model above.
    </Notice>
  );
}

type MoveAssistantProps = { assistant: NonNullable<Answering>; successor: string };

function MigrateAssistant({ assistant: { id, name, model }, successor }: MoveAssistantProps) {
  const { reason } = useEditAccess();
  const move = useMigrateModels();
  return (
    <Button
      size="sm"
      variant="primary"
      className="max-md:h-10"
      busy={move.isPending}
      disabledReason={reason}
      onClick={() =>
        move.mutate(
          { fromModel: model, toModel: successor, assistantIds: [id] },
          { onError: showFailure('Failed to migrate the assistant', 'An error occurred. Please try again.') },
        )
      }
    >
      Migrate <bdi>{name}</bdi> to <ModelName model={successor} />
    </Button>
  );
}
