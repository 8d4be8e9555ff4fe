import type { Assistant } from '@roster/contracts/assistants';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { assistantsQuery } from '#web/data/assistants.ts';
import { useEditing } from '#web/data/current-user.ts';
import { errorText } from '#web/lib/api.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { Tooltip } from '#web/ui/tooltip.tsx';

const defaultFirst = (assistants: readonly Assistant[]) =>
  assistants.toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault));

/** The assistants, each a click away from a conversation with it. */
export function AssistantList({ onStartChat }: { onStartChat: (assistantId: number) => void }) {
  const { data, error, isFetching, refetch } = useQuery(assistantsQuery);
  const { mayEdit, reason } = useEditing();
  return (
    <section
      aria-labelledby="your-assistants"
      className="flex max-h-[38%] shrink-0 flex-col border-border border-t pb-2"
    >
      <h2 id="your-assistants" className="shrink-0 px-4 pt-3 pb-1 font-medium text-muted-foreground text-sm">
        Your Assistants
      </h2>
      {data ? (
        <ul className="min-h-0 overflow-y-auto px-2">
          {defaultFirst(data).map((assistant) => (
            <li key={assistant.id} className="py-px">
              <Tooltip content={`Start a chat with ${assistant.name}`} side="right">
                <button
                  type="button"
                  onClick={() => onStartChat(assistant.id)}
                  className="flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-start transition-colors duration-120 hover:bg-hover"
                >
                  <span className="min-w-0 flex-1">
                    <span dir="auto" className="block truncate">
                      {assistant.name}
                    </span>
                    <span className="block truncate text-muted-foreground text-xs">{assistant.model}</span>
                  </span>
                  {assistant.isDefault && <Badge tone="accent">Default</Badge>}
                </button>
              </Tooltip>
            </li>
          ))}
          {data.length === 0 && (
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
          )}
        </ul>
      ) : error && !isFetching ? (
        <div role="alert" className="px-4 py-2 text-sm">
          <p className="text-muted-foreground">{errorText(error, 'The assistants could not be loaded.')}</p>
          <Button size="sm" className="mt-2" onClick={() => void refetch()}>
            Try Again
          </Button>
        </div>
      ) : (
        <div aria-busy="true" className="space-y-3 px-4 py-2">
          <Skeleton className="h-8" />
          <Skeleton className="h-8" />
        </div>
      )}
    </section>
  );
}
