import {
  type ChosenTool,
  chosenToolLimit,
  type ToolChoice,
  type ToolServer,
} from '@roster/contracts/tool-servers/tool-servers';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { chosenToolsQuery } from '#web/api/chosen-tools.ts';
import { useEditAccess } from '#web/api/current-user.ts';
import { errorText } from '#web/lib/api-client.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { type ChoiceChange, toolServersQuery, useToolSelection } from './queries.ts';
import { ServerChoices } from './server-choices.tsx';

/** Available tools by server. Changes apply at once. */
export function ToolChoices({ assistantId }: { assistantId: number }) {
  const servers = useQuery(toolServersQuery);
  const chosen = useQuery(chosenToolsQuery(assistantId));
  const failed = [servers, chosen].find(({ isError }) => isError);
  if (failed)
    return (
      <RetryNotice tone="destructive" live query={failed} className="mt-3">
        {errorText(failed.error, 'Failed to load the tools.')}
      </RetryNotice>
    );
  if (!servers.data || !chosen.data)
    return (
      <div className="mt-3 grid gap-2">
        <span className="sr-only">Loading tools</span>
        <Skeleton className="h-10" />
        <Skeleton className="h-10" />
      </div>
    );
  return <Choices assistantId={assistantId} servers={servers.data} chosen={chosen.data} />;
}

const idOf = ({ serverId, name }: ToolChoice) => `${serverId} ${name}`;

type ChoicesProps = { assistantId: number; servers: ToolServer[]; chosen: ChosenTool[] };

function Choices({ assistantId, servers, chosen }: ChoicesProps) {
  const { reason } = useEditAccess();
  const { expected, change } = useToolSelection(assistantId, chosen);
  const usable = servers.filter(({ isOn }) => isOn);
  const gone = new Set(chosen.filter(({ state }) => state === 'gone').map(idOf));
  if (usable.length === 0 && chosen.length === 0)
    return (
      <p className="mt-2 text-muted-foreground">
        No tool servers yet.{' '}
        <Link
          to="/settings"
          search={{ tab: 'tools' }}
          className="rounded-xs text-foreground underline underline-offset-4"
        >
          Add one in Settings
        </Link>
      </p>
    );
  return (
    <div className="mt-2 grid gap-3">
      <p className="text-muted-foreground text-sm">
        The model can use the selected tools and asks for approval as you choose. Changes take effect immediately.
      </p>
      {reason && <Notice>{reason}</Notice>}
      <UnavailableTools chosen={chosen} expected={expected} onChange={change} disabled={reason !== undefined} />
      {usable.map((server) => (
        <ServerChoices
          key={server.id}
          server={server}
          chosen={expected.filter((one) => one.serverId === server.id && !gone.has(idOf(one)))}
          isFull={expected.length >= chosenToolLimit}
          disabled={reason !== undefined}
          onChange={change}
        />
      ))}
    </div>
  );
}

type LostProps = {
  chosen: ChosenTool[];
  expected: ToolChoice[];
  disabled: boolean;
  onChange: (change: ChoiceChange) => void;
};

/** Chosen tools that no longer exist. */
function UnavailableTools({ chosen, expected, disabled, onChange }: LostProps) {
  const lost = chosen.filter(
    ({ state, serverId, name }) =>
      (state === 'gone' || state === 'off') && expected.some((one) => one.serverId === serverId && one.name === name),
  );
  if (lost.length === 0) return null;
  return (
    <Notice tone="warning" title="Selected but unavailable">
      <ul aria-label="Unavailable tools" className="mt-2 grid gap-2">
        {lost.map(({ serverId, serverName, name, title, state }) => (
          <li key={`${serverId} ${name}`} className="flex flex-wrap items-center justify-between gap-2">
            <span dir="auto" className="wrap-anywhere min-w-0">
              {title} ({serverName}):{' '}
              {state === 'gone' ? 'its server no longer has it' : 'its server is off or withdrawn'}
            </span>
            <Button
              size="sm"
              disabled={disabled}
              aria-label={`Remove ${title}`}
              onClick={() => onChange({ serverId, name, choice: null })}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
