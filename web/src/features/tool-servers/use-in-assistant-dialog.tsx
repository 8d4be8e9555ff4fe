import type { Assistant } from '@roster/contracts/assistants/assistants';
import { defaultApproval, type Tool, type ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { assistantsQuery } from '#web/api/assistants.ts';
import { chosenToolsQuery } from '#web/api/chosen-tools.ts';
import { errorText } from '#web/lib/api-client.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { Field } from '#web/ui/forms/field.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { Spinner, SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { counted, waitingText } from './labels.ts';
import { OperatorLine } from './operator-line.tsx';
import { serverToolsQuery, toolServersQuery, useToolSelection } from './queries.ts';
import { ToolRows } from './server-choices.tsx';

type UseInAssistantDialogProps = { server: ToolServer; onClose: () => void };

/** Chooses the tools of a server for an assistant, as soon as they are loaded. */
export function UseInAssistantDialog({ server: given, onClose }: UseInAssistantDialogProps) {
  const servers = useQuery(toolServersQuery);
  const server = servers.data?.find(({ id }) => id === given.id) ?? given;
  const hasNone = server.state !== 'waiting' && server.tools === 0;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title={
        hasNone ? (
          <>
            No Tools from “<bdi>{server.name}</bdi>”
          </>
        ) : (
          <>
            Use “<bdi>{server.name}</bdi>” in an Assistant
          </>
        )
      }
      description={hasNone ? undefined : 'You can change this at any time when you edit the assistant.'}
      footer={<Button onClick={onClose}>Done</Button>}
    >
      <Content server={server} />
    </Dialog>
  );
}

function Content({ server }: { server: ToolServer }) {
  const { state, notice, tools } = server;
  const assistants = useQuery(assistantsQuery);
  const [chosenId, setChosenId] = useState<number>();
  if (state === 'waiting')
    return (
      <p role="status" className="flex items-center gap-2 text-muted-foreground">
        <Spinner />
        {waitingText(server)}
      </p>
    );
  if (tools === 0)
    return (
      <>
        <Notice tone={state === 'failed' ? 'destructive' : 'info'} live>
          {notice ?? 'Roster found no tools on this server.'}
        </Notice>
        {notice !== null && <OperatorLine notice={notice} />}
      </>
    );
  if (assistants.isPending) return <SpinnerPanel label="Loading your assistants" />;
  const list = assistants.data ?? [];
  const assistant = list.find(({ id }) => id === chosenId) ?? list.find(({ isDefault }) => isDefault) ?? list[0];
  if (!assistant) return <NoAssistant />;
  return (
    <div className="grid gap-4">
      <Field label="Assistant">
        {(control) => (
          <Select {...control} value={assistant.id} onChange={({ target }) => setChosenId(Number(target.value))}>
            {list.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Choices key={assistant.id} assistant={assistant} server={server} />
    </div>
  );
}

const NoAssistant = () => (
  <Notice
    action={
      <Link to="/assistants/new" className={buttonClass({ variant: 'primary', size: 'sm' })}>
        Create assistant
      </Link>
    }
  >
    Tools belong to an assistant, and you have none yet.
  </Notice>
);

function Choices({ assistant, server }: { assistant: Assistant; server: ToolServer }) {
  const chosen = useQuery(chosenToolsQuery(assistant.id));
  const tools = useQuery(serverToolsQuery(server));
  const { expected, change } = useToolSelection(assistant.id, chosen.data ?? []);
  const failed = [chosen, tools].find(({ isError }) => isError);
  if (failed)
    return (
      <RetryNotice tone="destructive" live query={failed}>
        {errorText(failed.error, 'Failed to load the tools.')}
      </RetryNotice>
    );
  if (!chosen.data || !tools.data) return <SpinnerPanel label="Loading tools" />;
  const own = expected.filter(({ serverId }) => serverId === server.id);
  const missing = tools.data.tools.filter(({ name }) => !own.some((one) => one.name === name));
  const choiceOf = (tool: Tool) => ({
    serverId: server.id,
    name: tool.name,
    choice: { serverId: server.id, name: tool.name, approval: defaultApproval(tool), digest: tool.digest },
  });
  return (
    <>
      <p className="flex flex-wrap items-center justify-between gap-2">
        <output className="text-muted-foreground">
          {own.length} of {counted(tools.data.tools.length, 'tool')} chosen for <bdi>{assistant.name}</bdi>
        </output>
        {missing.length > 0 && (
          <Button size="sm" variant="primary" onClick={() => void change(...missing.map(choiceOf))}>
            {own.length === 0 ? 'Choose all' : 'Choose the others'}
          </Button>
        )}
      </p>
      <ToolRows server={server} tools={tools.data.tools} chosen={own} total={expected.length} onChange={change} />
    </>
  );
}
