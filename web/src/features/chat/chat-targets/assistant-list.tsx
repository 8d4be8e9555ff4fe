import type { Assistant } from '@roster/contracts/assistants/assistants';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { assistantsQuery } from '#web/api/assistants.ts';
import { useEditAccess, useUser } from '#web/api/current-user.ts';
import { AssistantAvatar, someHaveAvatars } from '#web/components/assistant-avatar.tsx';
import { ModelName } from '#web/components/model-name.tsx';
import { LoadingAssistants } from '#web/features/chat/shared/loading-lists.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { readStored, writeStored } from '#web/lib/storage/storage.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { Tooltip } from '#web/ui/menus/tooltip.tsx';

const defaultFirst = (assistants: readonly Assistant[]) =>
  assistants.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault));

/** Collapsed state, stored for this user in this browser. */
function useFolded(): [isFolded: boolean, toggle: () => void] {
  const key = `chat-assistants-folded:${useUser().id}`;
  const [isFolded, setFolded] = useState(() => readStored(key) !== null);
  const toggle = () => {
    setFolded(!isFolded);
    writeStored(key, isFolded ? null : 'yes');
  };
  return [isFolded, toggle];
}

type AssistantListProps = { onStartChat: (assistantId: number) => void };

/** Assistants; a click starts a conversation. */
export function AssistantList({ onStartChat }: AssistantListProps) {
  const [isFolded, toggle] = useFolded();
  return (
    <section
      aria-labelledby="your-assistants"
      className="flex max-h-[38%] shrink-0 flex-col border-border border-t pb-2"
    >
      <h2 className="shrink-0 px-2 pt-2 font-medium text-muted-foreground text-sm">
        <button
          type="button"
          id="your-assistants"
          aria-expanded={!isFolded}
          onClick={toggle}
          className="flex min-h-8 w-full items-center gap-1 rounded-md px-2 text-start transition-colors duration-120 hover:bg-hover hover:text-foreground max-md:min-h-10"
        >
          <span className="flex-1">Your Assistants</span>
          <ChevronDown
            aria-hidden
            className={classNames('size-4 transition-transform duration-120', isFolded && '-rotate-90')}
          />
        </button>
      </h2>
      <Assistants isFolded={isFolded} onStartChat={onStartChat} />
    </section>
  );
}

/** Fetched while collapsed too, so that they show at once. */
function Assistants({ isFolded, onStartChat }: AssistantListProps & { isFolded: boolean }) {
  const { data, error, isFetching, refetch } = useQuery(assistantsQuery);
  if (isFolded) return null;
  const withAvatars = someHaveAvatars(data ?? []);
  if (data)
    return (
      <ul className="min-h-0 overflow-y-auto px-2">
        {defaultFirst(data).map((assistant) => (
          <li key={assistant.id} className="py-px">
            <AssistantButton assistant={assistant} withAvatar={withAvatars} onStartChat={onStartChat} />
          </li>
        ))}
        {data.length === 0 && <NoAssistants />}
      </ul>
    );
  if (!error || isFetching) return <LoadingAssistants />;
  return (
    <div role="alert" className="px-4 py-2 text-sm">
      <p className="text-muted-foreground">{errorText(error, 'The assistants could not be loaded.')}</p>
      <Button size="sm" className="mt-2" onClick={() => void refetch()}>
        Try Again
      </Button>
    </div>
  );
}

type AssistantButtonProps = AssistantListProps & { assistant: Assistant; withAvatar: boolean };

function AssistantButton({ assistant, withAvatar, onStartChat }: AssistantButtonProps) {
  return (
    <Tooltip content={`Start a chat with ${assistant.name}`} side="right">
      <button
        type="button"
        onClick={() => onStartChat(assistant.id)}
        className="flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-start transition-colors duration-120 hover:bg-hover"
      >
        <AssistantAvatar {...assistant} always={withAvatar} />
        <span className="min-w-0 flex-1">
          <span dir="auto" className="block truncate">
            {assistant.name}
          </span>
          <span className="block truncate text-muted-foreground text-xs">
            <ModelName model={assistant.model} />
          </span>
        </span>
        {assistant.isDefault && <Badge tone="accent">Default</Badge>}
      </button>
    </Tooltip>
  );
}

function NoAssistants() {
  const { mayEdit, reason } = useEditAccess();
  return (
    <li className="px-2 py-1.5 text-muted-foreground text-sm">
      You have no assistants.{' '}
      {mayEdit ? (
        <Link
          to="/settings"
          search={{ tab: 'assistants', view: 'create' }}
          className="text-primary-text underline underline-offset-2"
        >
          Create one
        </Link>
      ) : (
        reason
      )}
    </li>
  );
}
