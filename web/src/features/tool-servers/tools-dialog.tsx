import type { Tool, ToolServer, ToolServerTools } from '@roster/contracts/tool-servers/tool-servers';
import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { errorText } from '#web/lib/api-client.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { Spinner, SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { counted, waitingText } from './labels.ts';
import { serverToolsQuery, toolServersQuery } from './queries.ts';
import { ReadOnlyBadge, ToolDetails } from './tool-details.tsx';

/** Tools of a server, as of the last refresh. */
export function ToolsDialog({ server: given, onClose }: { server: ToolServer; onClose: () => void }) {
  const servers = useQuery(toolServersQuery);
  // Its tools may be refreshed while the dialog is open.
  const server = servers.data?.find(({ id }) => id === given.id) ?? given;
  const query = useQuery(serverToolsQuery(server));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title={
        <>
          Tools of “<bdi>{server.name}</bdi>”
        </>
      }
      description="As described by the server. Choose them when you edit an assistant."
      footer={<Button onClick={onClose}>Close</Button>}
    >
      {query.isPending && <SpinnerPanel label="Loading tools" />}
      {query.isError && (
        <RetryNotice tone="destructive" live query={query}>
          {errorText(query.error, 'Failed to load the tools.')}
        </RetryNotice>
      )}
      {server.state === 'waiting' && (
        <p role="status" className="mb-4 flex items-center gap-2 text-muted-foreground">
          <Spinner />
          {waitingText(server)}
        </p>
      )}
      {query.isSuccess && (server.state !== 'waiting' || query.data.tools.length > 0) && (
        <ToolList tools={query.data.tools} />
      )}
      {query.isSuccess && <OmittedTools {...query.data} kind={server.kind} />}
    </Dialog>
  );
}

function ToolList({ tools }: { tools: Tool[] }) {
  if (tools.length === 0) return <p className="text-muted-foreground">Roster found no tools on this server.</p>;
  return (
    <ul aria-label="Tools" className="grid gap-5">
      {tools.map((tool) => (
        <li key={tool.name} className="grid gap-1">
          <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
            <span dir="auto" className="wrap-anywhere">
              {tool.title}
            </span>
            {tool.title !== tool.name && (
              <code dir="ltr" className="wrap-anywhere font-normal text-muted-foreground text-sm">
                {tool.name}
              </code>
            )}
            <ReadOnlyBadge tool={tool} />
          </h3>
          <ToolDetails tool={tool} />
        </li>
      ))}
    </ul>
  );
}

type LeftOutProps = Pick<ToolServerTools, 'leftOut' | 'leftOutCount'> & Pick<ToolServer, 'kind'>;

/** Tools that cannot be offered to a model, with reasons. */
function OmittedTools({ leftOut, leftOutCount, kind }: LeftOutProps) {
  if (leftOutCount === 0) return null;
  const more = leftOutCount - leftOut.length;
  return (
    <details className="group/left mt-6 border-border border-t pt-4">
      <summary className="-ms-1 inline-flex min-h-8 list-none items-center gap-1.5 rounded-sm pe-2 font-medium max-md:min-h-10 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 text-muted-foreground group-open/left:rotate-90 rtl:-scale-x-100"
        />
        {kind === 'openapi'
          ? counted(leftOutCount, 'operation was', 'operations were')
          : counted(leftOutCount, 'tool was', 'tools were')}{' '}
        left out
      </summary>
      <ul aria-label="Left out" className="mt-2 grid gap-2 text-sm">
        {leftOut.map(({ operation, reason }) => (
          <li key={operation} className="grid">
            <code dir="ltr" className="wrap-anywhere text-start">
              {operation}
            </code>
            <span className="wrap-anywhere text-muted-foreground first-letter:uppercase">{reason}</span>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p className="mt-2 text-muted-foreground text-sm">And {more.toLocaleString('en-US')} more not listed.</p>
      )}
    </details>
  );
}
