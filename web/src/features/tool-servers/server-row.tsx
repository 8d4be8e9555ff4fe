import type { ToolServer } from '@roster/contracts/tool-servers';
import { Ellipsis, Pencil, Power, RefreshCw, Trash2 } from 'lucide-react';
import { useEditing } from '#web/data/current-user.ts';
import { tellFailure } from '#web/lib/failure.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '#web/ui/menu.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { useChangeServer, useRefreshServer } from './queries.ts';
import { counted, headerOf } from './words.ts';

export type ServerAction = 'tools' | 'edit' | 'remove';
type ServerRowProps = { server: ToolServer; onChoose: (what: ServerAction) => void };

export function ServerRow({ server, onChoose }: ServerRowProps) {
  const { name, url, state, notice, lookedAt, tools, isOwn } = server;
  const header = headerOf(server);
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-3 py-4">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
          <span dir="auto" className="wrap-anywhere">
            {name}
          </span>
          <Badges server={server} />
        </p>
        <p className="mt-1 flex flex-wrap gap-x-4 text-muted-foreground text-sm">
          <span dir="ltr" className="wrap-anywhere">
            {url}
          </span>
          {header && (
            <span dir="ltr" className="wrap-anywhere">
              {header}
            </span>
          )}
          {lookedAt && (
            <span>
              {server.kind === 'openapi' ? 'Read' : 'Asked'} <RelativeTime date={lookedAt} />
            </span>
          )}
        </p>
        {notice && state !== 'waiting' && (
          <p
            dir="auto"
            className={
              state === 'failed'
                ? 'wrap-anywhere mt-1 text-destructive-text text-sm'
                : 'wrap-anywhere mt-1 text-muted-foreground text-sm'
            }
          >
            {notice}
          </p>
        )}
      </div>
      <div className="flex items-center gap-1">
        <Button
          size="sm"
          className="max-md:h-10"
          onClick={() => onChoose('tools')}
          aria-label={`${counted(tools, 'tool')} of ${name}`}
        >
          {/* The number stays before its word on a page from right to left. */}
          <bdi>{counted(tools, 'tool')}</bdi>
        </Button>
        {isOwn && <ServerMenu server={server} onChoose={onChoose} />}
      </div>
    </li>
  );
}

function Badges({ server: { kind, state, isOwn, isOffered, isOn } }: { server: ToolServer }) {
  return (
    <>
      {kind === 'openapi' && <Badge>OpenAPI</Badge>}
      {state === 'waiting' && <Badge tone="primary">Asking for its tools</Badge>}
      {state === 'failed' && <Badge tone="destructive">Not reached</Badge>}
      {!isOn && <Badge tone="warning">Off</Badge>}
      {isOffered && <Badge>{isOwn ? 'Offered to everybody' : 'Offered by an administrator'}</Badge>}
    </>
  );
}

function ServerMenu({ server, onChoose }: ServerRowProps) {
  const { reason } = useEditing();
  const refresh = useRefreshServer();
  const change = useChangeServer(server.id);
  const isPasted = server.openApi?.descriptionUrl === null;
  return (
    <Menu trigger={<IconButton label={`Actions for ${server.name}`} tooltip="Actions" icon={Ellipsis} />}>
      <MenuItem icon={Pencil} disabledReason={reason} onSelect={() => onChoose('edit')}>
        Edit
      </MenuItem>
      {!isPasted && (
        <MenuItem
          icon={RefreshCw}
          disabledReason={reason}
          onSelect={() => refresh.mutate(server.id, { onError: tellFailure('The server could not be asked again') })}
        >
          {server.openApi ? 'Fetch its description again' : 'Ask for its tools again'}
        </MenuItem>
      )}
      <MenuItem
        icon={Power}
        disabledReason={reason}
        onSelect={() =>
          change.mutate({ isOn: !server.isOn }, { onError: tellFailure('The server could not be changed') })
        }
      >
        {server.isOn ? 'Turn off' : 'Turn on'}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={Trash2} destructive disabledReason={reason} onSelect={() => onChoose('remove')}>
        Remove
      </MenuItem>
    </Menu>
  );
}
