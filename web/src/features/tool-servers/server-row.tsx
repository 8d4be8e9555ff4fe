import type { ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import { Ellipsis, ListChecks, LogOut, Pencil, Power, RefreshCw, Trash2 } from 'lucide-react';
import { useEditAccess } from '#web/api/current-user.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '#web/ui/menus/menu.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { Spinner } from '#web/ui/states/spinner.tsx';
import { counted, maskedSecret, serverLocation, signInPrompt, waitingText } from './labels.ts';
import { OperatorLine } from './operator-line.tsx';
import { useChangeServer, useRefreshServer, useSignIn, useSignOut } from './queries.ts';

export type ServerAction = 'tools' | 'choose' | 'operations' | 'edit' | 'remove';
type ServerRowProps = { server: ToolServer; onChoose: (what: ServerAction) => void };

export function ServerRow({ server, onChoose }: ServerRowProps) {
  const { name, lookedAt, tools, isOwn, signIn, state } = server;
  const header = maskedSecret(server);
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
            {serverLocation(server)}
          </span>
          {header && (
            <span dir="ltr" className="wrap-anywhere">
              {header}
            </span>
          )}
          {signIn?.state === 'done' && <span>Signed in</span>}
          {lookedAt && (
            <span>
              {server.kind === 'openapi' ? 'Loaded' : 'Checked'} <RelativeTime date={lookedAt} />
            </span>
          )}
        </p>
        <Notices server={server} />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {(tools > 0 || state === 'ready') && (
          <Button size="sm" onClick={() => onChoose('tools')} aria-label={`${counted(tools, 'tool')} of ${name}`}>
            {/* Keeps the number before its unit on a right-to-left page. */}
            <bdi>{counted(tools, 'tool')}</bdi>
          </Button>
        )}
        {tools > 0 && signInPrompt(server) === null && (
          <Button size="sm" onClick={() => onChoose('choose')} aria-label={`Use in an assistant: ${name}`}>
            Use in an assistant
          </Button>
        )}
        <NextStep server={server} />
        {(isOwn || signIn?.state === 'done') && <ServerMenu server={server} onChoose={onChoose} />}
      </div>
    </li>
  );
}

/** Errors of connecting, omitted tools and sign-in. */
function Notices({ server }: { server: ToolServer }) {
  const { state, notice, signIn } = server;
  const failed = 'wrap-anywhere mt-1 text-destructive-text text-sm';
  return (
    <>
      {state === 'waiting' && (
        <p className="mt-1 flex items-center gap-2 text-muted-foreground text-sm">
          <Spinner />
          {waitingText(server)}
        </p>
      )}
      {notice && state !== 'waiting' && (
        <p className={state === 'failed' ? failed : 'wrap-anywhere mt-1 text-muted-foreground text-sm'}>
          <bdi>{notice}</bdi>
        </p>
      )}
      {notice && state === 'failed' && <OperatorLine notice={notice} />}
      {signIn?.notice && signIn.state !== 'done' && (
        <p className={failed}>
          <bdi>{signIn.notice}</bdi>
        </p>
      )}
    </>
  );
}

/** The next step to make a server usable. */
function NextStep({ server }: { server: ToolServer }) {
  const { id, name, state, isOwn } = server;
  const { reason } = useEditAccess();
  const signIn = useSignIn();
  const refresh = useRefreshServer();
  if (signInPrompt(server) !== null)
    return (
      <Button
        size="sm"
        variant="primary"
        aria-label={`Sign in to ${name}`}
        disabledReason={reason}
        busy={signIn.isPending}
        onClick={() => signIn.mutate(id, { onError: showFailure('Failed to start signing in') })}
      >
        Sign In
      </Button>
    );
  if (!isOwn || state !== 'failed') return null;
  return (
    <Button
      size="sm"
      aria-label={`Try again: ${name}`}
      disabledReason={reason}
      busy={refresh.isPending}
      onClick={() => refresh.mutate(id, { onError: showFailure('Failed to refresh the server') })}
    >
      Try Again
    </Button>
  );
}

function Badges({ server }: { server: ToolServer }) {
  const { kind, state, isOwn, isOffered, isOn } = server;
  const wanted = signInPrompt(server);
  return (
    <>
      {wanted !== null && <Badge tone="warning">{wanted}</Badge>}
      {kind === 'openapi' && <Badge>OpenAPI</Badge>}
      {kind === 'command' && <Badge>Command</Badge>}
      {state === 'waiting' && <Badge tone="primary">Loading its tools</Badge>}
      {state === 'failed' && <Badge tone="destructive">Unreachable</Badge>}
      {!isOn && <Badge tone="warning">Off</Badge>}
      {isOffered && <Badge>{isOwn ? 'Shared with everyone' : 'Shared by an administrator'}</Badge>}
    </>
  );
}

function ServerMenu(props: ServerRowProps) {
  const { name, isOwn, signIn } = props.server;
  return (
    <Menu trigger={<IconButton label={`Actions for ${name}`} tooltip="Actions" icon={Ellipsis} />}>
      {isOwn && <OwnerItems {...props} />}
      {signIn?.state === 'done' && <SignOutItem server={props.server} />}
      {isOwn && <RemoveItem {...props} />}
    </Menu>
  );
}

function OwnerItems({ server, onChoose }: ServerRowProps) {
  const { reason } = useEditAccess();
  const refresh = useRefreshServer();
  const change = useChangeServer(server.id);
  const signInFirst = signInPrompt(server) === null ? undefined : 'Sign in to it first.';
  const isPasted = server.openApi?.descriptionUrl === null;
  return (
    <>
      <MenuItem icon={Pencil} disabledReason={reason} onSelect={() => onChoose('edit')}>
        Edit
      </MenuItem>
      {server.kind === 'openapi' && (
        <MenuItem icon={ListChecks} onSelect={() => onChoose('operations')}>
          Choose operations
        </MenuItem>
      )}
      {!isPasted && (
        <MenuItem
          icon={RefreshCw}
          disabledReason={reason ?? signInFirst}
          onSelect={() => refresh.mutate(server.id, { onError: showFailure('Failed to refresh the server') })}
        >
          {server.openApi ? 'Refresh description' : 'Refresh tools'}
        </MenuItem>
      )}
      <MenuItem
        icon={Power}
        disabledReason={reason}
        onSelect={() => change.mutate({ isOn: !server.isOn }, { onError: showFailure('Failed to update the server') })}
      >
        {server.isOn ? 'Turn off' : 'Turn on'}
      </MenuItem>
    </>
  );
}

function SignOutItem({ server: { id } }: Pick<ServerRowProps, 'server'>) {
  const { reason } = useEditAccess();
  const signOut = useSignOut();
  return (
    <MenuItem
      icon={LogOut}
      disabledReason={reason}
      onSelect={() => signOut.mutate(id, { onError: showFailure('Failed to sign out') })}
    >
      Sign out
    </MenuItem>
  );
}

function RemoveItem({ onChoose }: ServerRowProps) {
  const { reason } = useEditAccess();
  return (
    <>
      <MenuSeparator />
      <MenuItem icon={Trash2} destructive disabledReason={reason} onSelect={() => onChoose('remove')}>
        Remove
      </MenuItem>
    </>
  );
}
