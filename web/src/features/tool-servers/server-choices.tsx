import { chosenToolLimit, ToolApproval, type ToolChoice } from '@roster/contracts/tool-servers/tool-choice';
import { defaultApproval, type Tool, type ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { errorText } from '#web/lib/api-client.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { approvalNames, counted, signInPrompt } from './labels.ts';
import { type ChoiceChange, serverToolsQuery } from './queries.ts';
import { ReadOnlyBadge, ToolDetails } from './tool-details.tsx';

type ServerChoicesProps = {
  server: ToolServer;
  /** Tools of this server that are chosen. */
  chosen: ToolChoice[];
  /** The limit of tools is reached. */
  isFull: boolean;
  disabled: boolean;
  onChange: (change: ChoiceChange) => void;
};

/** Tools of one server, fetched when opened. */
export function ServerChoices(props: ServerChoicesProps) {
  const { server, chosen } = props;
  const wanted = signInPrompt(server);
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group/server rounded-md border border-border"
    >
      <summary className="flex min-h-10 list-none flex-wrap items-center gap-x-2 gap-y-1 rounded-md px-3 py-2 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-muted-foreground group-open/server:rotate-90 rtl:-scale-x-100"
        />
        <span dir="auto" className="wrap-anywhere min-w-0 font-medium">
          {server.name}
        </span>
        {!server.isOwn && <Badge>Shared by an administrator</Badge>}
        {wanted !== null && <Badge tone="warning">{wanted}</Badge>}
        <span className="text-muted-foreground text-sm">
          {server.tools === 0 ? 'No tools' : `${chosen.length} of ${counted(server.tools, 'tool')} chosen`}
        </span>
      </summary>
      {isOpen && wanted !== null && <SignInFirst />}
      {isOpen && <Tools {...props} />}
    </details>
  );
}

function SignInFirst() {
  return (
    <Notice tone="warning" className="m-3">
      Sign in to it before its tools can be called.{' '}
      <Link to="/settings" search={{ tab: 'tools' }} className="rounded-xs underline underline-offset-4">
        Sign in under Settings, Tools
      </Link>
    </Notice>
  );
}

function Tools({ server, chosen, ...rest }: ServerChoicesProps) {
  const query = useQuery(serverToolsQuery(server));
  if (query.isPending) return <SpinnerPanel label="Loading tools" />;
  if (query.isError)
    return (
      <RetryNotice tone="destructive" live query={query} className="m-3">
        {errorText(query.error, 'Failed to load the tools.')}
      </RetryNotice>
    );
  const { tools } = query.data;
  if (tools.length === 0)
    return <p className="px-3 pb-3 text-muted-foreground">Roster found no tools on this server.</p>;
  return <ToolList server={server} tools={tools} chosen={chosen} {...rest} />;
}

function ToolList({ server, tools, chosen, ...rest }: ServerChoicesProps & { tools: readonly Tool[] }) {
  return (
    <ul aria-label={`Tools of ${server.name}`} className="divide-y divide-border border-border border-t">
      {tools.map((tool) => (
        <ToolRow
          key={tool.name}
          {...rest}
          serverId={server.id}
          tool={tool}
          choice={chosen.find(({ name }) => name === tool.name)}
        />
      ))}
    </ul>
  );
}

type ToolRowsProps = Pick<ServerChoicesProps, 'server' | 'chosen' | 'onChange'> & {
  tools: readonly Tool[];
  /** Tools of the assistant, of all servers. */
  total: number;
};

/** Loaded tools of one server, always open. */
export function ToolRows({ total, ...rest }: ToolRowsProps) {
  const { reason } = useEditAccess();
  return (
    <div className="rounded-md border border-border *:border-t-0">
      <ToolList {...rest} isFull={total >= chosenToolLimit} disabled={reason !== undefined} />
    </div>
  );
}

type ToolRowProps = Pick<ServerChoicesProps, 'isFull' | 'disabled' | 'onChange'> & {
  serverId: number;
  tool: Tool;
  choice: ToolChoice | undefined;
};

function ToolRow({ serverId, tool, choice, isFull, disabled, onChange }: ToolRowProps) {
  const [isShown, setShown] = useState(false);
  const { name, title, digest } = tool;
  const choose = (approval: ToolApproval, seen = digest) =>
    onChange({ serverId, name, choice: { serverId, name, approval, digest: seen } });
  const shown = isShown ? 'Hide details' : 'What it does';
  const hasChanged = choice !== undefined && choice.digest !== digest;
  return (
    <li className="grid gap-2 px-3 py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <Checkbox
          label={
            <span dir="auto" className="wrap-anywhere">
              {title}
            </span>
          }
          description={!choice && isFull ? `An assistant can have ${chosenToolLimit} tools.` : undefined}
          checked={choice !== undefined}
          disabled={disabled || (!choice && isFull)}
          onChange={({ target }) =>
            target.checked ? choose(defaultApproval(tool)) : onChange({ serverId, name, choice: null })
          }
          className="min-w-0 max-md:py-2.5"
        />
        <span className="flex flex-wrap items-center gap-2">
          {hasChanged && <Badge tone="warning">Changed</Badge>}
          <ReadOnlyBadge tool={tool} />
        </span>
      </div>
      {choice && (
        <Approval
          title={title}
          value={hasChanged ? 'always' : choice.approval}
          disabled={disabled || hasChanged}
          onChange={(approval) => choose(approval, choice.digest)}
        />
      )}
      {choice && hasChanged && <Changed title={title} disabled={disabled} onAccept={() => choose(choice.approval)} />}
      <Button
        variant="ghost"
        size="sm"
        className="-ms-2.5 justify-self-start max-md:h-10"
        aria-expanded={isShown}
        aria-label={`${shown}: ${title}`}
        onClick={() => setShown(!isShown)}
      >
        {shown}
      </Button>
      {isShown && <ToolDetails tool={tool} />}
    </li>
  );
}

type ApprovalProps = {
  title: string;
  value: ToolApproval;
  disabled: boolean;
  onChange: (approval: ToolApproval) => void;
};

function Approval({ title, value, disabled, onChange }: ApprovalProps) {
  return (
    <Select
      aria-label={`Approval for ${title}`}
      value={value}
      disabled={disabled}
      onChange={({ target }) => onChange(ToolApproval.parse(target.value))}
      className="max-w-72"
    >
      {ToolApproval.options.map((approval) => (
        <option key={approval} value={approval}>
          {approvalNames[approval]}
        </option>
      ))}
    </Select>
  );
}

type ChangedProps = { title: string; disabled: boolean; onAccept: () => void };

/** The tool has changed since it was selected. */
function Changed({ title, disabled, onAccept }: ChangedProps) {
  return (
    <Notice
      tone="warning"
      action={
        <Button size="sm" disabled={disabled} aria-label={`Accept change: ${title}`} onClick={onAccept}>
          Accept change
        </Button>
      }
    >
      Its description or arguments have changed since you selected it. You will be asked every time until you accept the
      change.
    </Notice>
  );
}
