import { chosenToolLimit, type ToolChoice } from '@roster/contracts/tool-servers/tool-choice';
import type { ChosenTool, Tool, ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { chosenToolsQuery } from '#web/api/chosen-tools.ts';
import { useEditAccess } from '#web/api/current-user.ts';
import { errorText } from '#web/lib/api-client.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { applyChange, type ChoiceChange, serverToolsQuery, toolServersQuery, useToolSelection } from './queries.ts';
import { ServerChoices } from './server-choices.tsx';

/** Tools of the servers for a saved assistant. Changes apply at once. */
export function ToolChoices({ assistantId }: { assistantId: number }) {
  const servers = useQuery(toolServersQuery);
  const chosen = useQuery(chosenToolsQuery(assistantId));
  if (!servers.data || !chosen.data) return <LoadingTools queries={[servers, chosen]} />;
  return <SavedChoices assistantId={assistantId} servers={servers.data} chosen={chosen.data} />;
}

type Loaded = Parameters<typeof RetryNotice>[0]['query'] & { isError: boolean; error: Error | null };

function LoadingTools({ queries }: { queries: readonly Loaded[] }) {
  const failed = queries.find(({ isError }) => isError);
  if (failed)
    return (
      <RetryNotice tone="destructive" live query={failed} className="mt-3">
        {errorText(failed.error, 'Failed to load the tools.')}
      </RetryNotice>
    );
  return (
    <div className="mt-3 grid gap-2">
      <span className="sr-only">Loading tools</span>
      <Skeleton className="h-10" />
      <Skeleton className="h-10" />
    </div>
  );
}

type SavedChoicesProps = { assistantId: number; servers: ToolServer[]; chosen: ChosenTool[] };

function SavedChoices({ assistantId, servers, chosen }: SavedChoicesProps) {
  const { expected, change } = useToolSelection(assistantId, chosen);
  return (
    <Choices
      {...{ servers, chosen, expected }}
      effect="Changes take effect immediately."
      onChange={(one) => void change(one)}
    />
  );
}

type DraftToolsProps = { chosen: ToolChoice[]; onChange: (chosen: ToolChoice[]) => void };

/** Tools of the servers for an assistant that is not saved yet. */
export function DraftToolChoices({ chosen, onChange }: DraftToolsProps) {
  const servers = useQuery(toolServersQuery);
  const named = servers.data?.filter(({ id }) => chosen.some(({ serverId }) => serverId === id)) ?? [];
  const tools = useQueries({ queries: named.map((server) => serverToolsQuery(server)) });
  if (!servers.data) return <LoadingTools queries={[servers]} />;
  const toolsOf = new Map(named.map(({ id }, index) => [id, tools[index]?.data?.tools]));
  return (
    <Choices
      servers={servers.data}
      chosen={chosen.map((choice) => describeChoice(choice, servers.data, toolsOf.get(choice.serverId)))}
      expected={chosen}
      effect="They are saved with the assistant."
      onChange={(change) => onChange(applyChange(chosen, change))}
    />
  );
}

/** A choice as a saved one is shown. `tools`: undefined until they are loaded. */
function describeChoice(choice: ToolChoice, servers: ToolServer[], tools: readonly Tool[] | undefined): ChosenTool {
  const server = servers.find(({ id }) => id === choice.serverId);
  const tool = tools?.find(({ name }) => name === choice.name);
  const state = !server?.isOn
    ? 'off'
    : !tools
      ? 'ready'
      : !tool
        ? 'gone'
        : tool.digest === choice.digest
          ? 'ready'
          : 'changed';
  return { ...choice, serverName: server?.name ?? 'An unavailable server', title: tool?.title ?? choice.name, state };
}

const idOf = ({ serverId, name }: ToolChoice) => `${serverId} ${name}`;

type ChoicesProps = {
  servers: ToolServer[];
  chosen: ChosenTool[];
  /** Tools chosen after all pending changes. */
  expected: ToolChoice[];
  /** When changes take effect. */
  effect: string;
  onChange: (change: ChoiceChange) => void;
};

function Choices({ servers, chosen, expected, effect, onChange }: ChoicesProps) {
  const { reason } = useEditAccess();
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
        The model can use the selected tools and asks for approval as you choose. {effect}
      </p>
      {reason && <Notice>{reason}</Notice>}
      <UnavailableTools chosen={chosen} expected={expected} onChange={onChange} disabled={reason !== undefined} />
      {usable.map((server) => (
        <ServerChoices
          key={server.id}
          server={server}
          chosen={expected.filter((one) => one.serverId === server.id && !gone.has(idOf(one)))}
          isFull={expected.length >= chosenToolLimit}
          disabled={reason !== undefined}
          onChange={onChange}
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
