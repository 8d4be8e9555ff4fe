import { type ToolServer, toolServerLimit } from '@roster/contracts/tool-servers/tool-servers';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { FileJson, Plus, Terminal, Wrench } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useEditAccess, useUser } from '#web/api/current-user.ts';
import { errorText } from '#web/lib/api-client.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardFooter, CardHeader } from '#web/ui/card.tsx';
import { Menu, MenuItem } from '#web/ui/menus/menu.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { LoadingRows } from '#web/ui/states/loading-rows.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { CommandDialog } from './command-dialog.tsx';
import { signInPrompt } from './labels.ts';
import { OpenApiDialog } from './openapi-dialog.tsx';
import { OperationsDialog } from './operations-dialog.tsx';
import { toolCommandsQuery, toolServersQuery } from './queries.ts';
import { RemoveServerDialog } from './remove-server-dialog.tsx';
import { ServerDialog } from './server-dialog.tsx';
import { type ServerAction, ServerRow } from './server-row.tsx';
import { type SignInResult, useSignInResult } from './sign-in-result.ts';
import { ToolsDialog } from './tools-dialog.tsx';
import { UseInAssistantDialog } from './use-in-assistant-dialog.tsx';

type Opened = { what: ServerAction; server: ToolServer };

type ToolServersCardProps = { signInEnd: SignInResult; onSignInEndReported: () => void };

/** Servers whose tools assistants can use. */
export function ToolServersCard({ signInEnd, onSignInEndReported }: ToolServersCardProps) {
  const query = useQuery(toolServersQuery);
  useSignInResult(signInEnd, query.data, onSignInEndReported);
  const [adding, setAdding] = useState<ToolServer['kind'] | null>(null);
  const [opened, setOpened] = useState<Opened | null>(null);
  const { reason } = useEditAccess();
  const commands = useQuery({ ...toolCommandsQuery, enabled: useUser().role === 'Admin' }).data ?? [];
  const servers = query.data ?? [];
  const isFull = servers.filter(({ isOwn }) => isOwn).length >= toolServerLimit;
  const refused =
    reason ?? (isFull ? `You can have at most ${toolServerLimit} tool servers. Remove one first.` : undefined);
  const add = <AddServer disabledReason={refused} hasCommands={commands.length > 0} onChoose={setAdding} />;
  const close = () => setOpened(null);
  const choose = (server: ToolServer) => {
    setAdding(null);
    // Its tools are known after the sign-in.
    if (signInPrompt(server) === null) setOpened({ what: 'choose', server });
  };
  return (
    <Card>
      <CardHeader
        title="Tool Servers"
        description="MCP servers and services with an OpenAPI description. Choose their tools for each assistant."
        action={servers.length > 0 && add}
      />
      <ServerList query={query} add={add} onChoose={(what, server) => setOpened({ what, server })} />
      <CardFooter>
        Tool descriptions come from the server and are not checked. Add only servers you trust: they receive the
        arguments of each call, which may come from your conversations.
      </CardFooter>
      {adding === 'mcp' && <ServerDialog onClose={() => setAdding(null)} onAdded={choose} />}
      {adding === 'command' && <CommandDialog commands={commands} onClose={() => setAdding(null)} onAdded={choose} />}
      {adding === 'openapi' && <OpenApiDialog onClose={() => setAdding(null)} />}
      {opened?.what === 'edit' && opened.server.kind !== 'openapi' && (
        <ServerDialog server={opened.server} onClose={close} />
      )}
      {opened?.what === 'edit' && opened.server.kind === 'openapi' && (
        <OpenApiDialog server={opened.server} onClose={close} />
      )}
      {opened?.what === 'tools' && <ToolsDialog server={opened.server} onClose={close} />}
      {opened?.what === 'choose' && <UseInAssistantDialog server={opened.server} onClose={close} />}
      {opened?.what === 'operations' && <OperationsDialog server={opened.server} onClose={close} />}
      {opened?.what === 'remove' && <RemoveServerDialog server={opened.server} onClose={close} />}
    </Card>
  );
}

type AddServerProps = {
  disabledReason: string | undefined;
  hasCommands: boolean;
  onChoose: (kind: ToolServer['kind']) => void;
};

function AddServer({ disabledReason, hasCommands, onChoose }: AddServerProps) {
  const button = (
    <Button icon={Plus} disabledReason={disabledReason}>
      Add Server
    </Button>
  );
  if (disabledReason !== undefined) return button;
  return (
    <Menu trigger={button}>
      <MenuItem icon={Wrench} onSelect={() => onChoose('mcp')}>
        Tool server (MCP)
      </MenuItem>
      <MenuItem icon={FileJson} onSelect={() => onChoose('openapi')}>
        Tools from an OpenAPI description
      </MenuItem>
      {hasCommands && (
        <MenuItem icon={Terminal} onSelect={() => onChoose('command')}>
          Command on this machine
        </MenuItem>
      )}
    </Menu>
  );
}

type ServerListProps = {
  query: UseQueryResult<ToolServer[]>;
  /** Shown if there are no servers. */
  add: ReactNode;
  onChoose: (what: ServerAction, server: ToolServer) => void;
};

function ServerList({ query, add, onChoose }: ServerListProps) {
  if (query.isPending) return <LoadingRows label="Loading tool servers" className="px-5 py-2" />;
  if (query.isError)
    return (
      <div className="px-5 py-5">
        <RetryNotice tone="destructive" live query={query}>
          Failed to load the tool servers: {errorText(query.error)}
        </RetryNotice>
      </div>
    );
  if (query.data.length === 0)
    return <EmptyState bare icon={Wrench} text="No tool servers yet." action={add} className="py-8" />;
  return (
    <ul aria-label="Tool servers" className="divide-y divide-border px-5 py-2">
      {query.data.map((server) => (
        <ServerRow key={server.id} server={server} onChoose={(what) => onChoose(what, server)} />
      ))}
    </ul>
  );
}
