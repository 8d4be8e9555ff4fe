import { type Operations, operationLimit } from '@roster/contracts/tool-servers/openapi-servers';
import type { ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { FormDialog } from '#web/components/form-dialog.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { Checkbox } from '#web/ui/forms/checkbox.tsx';
import { Input } from '#web/ui/forms/input.tsx';
import { Select } from '#web/ui/forms/select.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { Spinner, SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { counted, waitingText } from './labels.ts';
import { operationsQuery, useChooseOperations } from './openapi-queries.ts';
import { toolServersQuery, useRefreshServer } from './queries.ts';

type DialogProps = { server: ToolServer; onClose: () => void };

const title = ({ name }: ToolServer) => (
  <>
    Operations of “<bdi>{name}</bdi>”
  </>
);

/** Selects which operations of an OpenAPI description become tools. */
export function OperationsDialog({ server: given, onClose }: DialogProps) {
  const servers = useQuery(toolServersQuery);
  const server = servers.data?.find(({ id }) => id === given.id) ?? given;
  const query = useQuery(operationsQuery(server));
  const isRead = query.isSuccess && query.data.operations !== null && server.state !== 'waiting';
  if (isRead && query.data.operations)
    return (
      <OperationsForm server={server} operations={query.data.operations} chosen={query.data.chosen} onClose={onClose} />
    );
  return (
    <Dialog open onOpenChange={onClose} title={title(server)} footer={<Button onClick={onClose}>Close</Button>}>
      {query.isError ? (
        <RetryNotice tone="destructive" live query={query}>
          {errorText(query.error, 'Failed to load the operations.')}
        </RetryNotice>
      ) : server.state === 'waiting' ? (
        <p role="status" className="flex items-center gap-2 text-muted-foreground">
          <Spinner />
          {waitingText(server)}
        </p>
      ) : query.isPending ? (
        <SpinnerPanel label="Loading operations" />
      ) : (
        <RefreshDescription server={server} />
      )}
    </Dialog>
  );
}

/** For servers added before Roster stored their operations. */
function RefreshDescription({ server }: { server: ToolServer }) {
  const { reason } = useEditAccess();
  const refresh = useRefreshServer();
  return (
    <Notice
      action={
        <Button
          size="sm"
          disabledReason={reason}
          busy={refresh.isPending}
          onClick={() => refresh.mutate(server.id, { onError: showFailure('Failed to refresh the description') })}
        >
          Refresh Description
        </Button>
      }
    >
      Roster must refresh this description before you can choose its operations.
    </Notice>
  );
}

type Described = NonNullable<Operations['operations']>;
type FormProps = DialogProps & { operations: Described; chosen: Operations['chosen'] };

const maxShown = 300;

function found(operations: Described, text: string, tag: string): Described {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter(({ operation, summary, tags }) => {
    const said = `${operation} ${summary}`.toLowerCase();
    return (tag === '' || tags.includes(tag)) && words.every((word) => said.includes(word));
  });
}

function OperationsForm({ server, operations, chosen, onClose }: FormProps) {
  const { reason } = useEditAccess();
  const [before] = useState(
    () => new Set(chosen ?? operations.slice(0, operationLimit).map(({ operation }) => operation)),
  );
  const [selected, setSelected] = useState<ReadonlySet<string>>(() => {
    const present = new Set(operations.map(({ operation }) => operation));
    return new Set([...before].filter((operation) => present.has(operation)));
  });
  const save = useChooseOperations(server.id);
  const tooMany = selected.size - operationLimit;
  const vanished = (chosen ?? []).filter((one) => !operations.some(({ operation }) => operation === one));
  const isChanged = chosen === null || selected.size !== before.size || [...selected].some((one) => !before.has(one));
  const problem =
    selected.size === 0 ? 'Choose at least one operation.' : tooMany > 0 ? `Remove ${tooMany} of them.` : undefined;
  const change = (names: readonly string[], isOn: boolean) => {
    const next = new Set(selected);
    for (const name of names)
      if (isOn) next.add(name);
      else next.delete(name);
    setSelected(next);
  };
  return (
    <FormDialog
      size="lg"
      title={title(server)}
      description="The chosen operations become tools. Operations added to the description later are not selected automatically."
      action={['Save Choice', 'Saving...']}
      busy={save.isPending}
      disabledReason={reason ?? problem}
      onSubmit={() => save.mutate(isChanged || vanished.length > 0 ? [...selected] : chosen, { onSuccess: onClose })}
      onClose={onClose}
      failed={{ title: 'Failed to save your choice', error: save.error }}
      unsaved={{
        when: selected.size !== before.size - vanished.length || [...selected].some((one) => !before.has(one)),
        what: 'the selected operations',
        question: { description: 'Your choice of operations will be lost.' },
      }}
      className="grid gap-4"
    >
      {vanished.length > 0 && <MissingOperations operations={vanished} />}
      <p role="status" className={tooMany > 0 ? 'text-destructive-text' : 'text-muted-foreground'}>
        {selected.size.toLocaleString('en-US')} of at most {operationLimit} chosen. {problem}
      </p>
      <Chooser operations={operations} selected={selected} onChange={change} />
    </FormDialog>
  );
}

function MissingOperations({ operations }: { operations: string[] }) {
  return (
    <Notice tone="warning" title={`No longer in the description: ${counted(operations.length, 'chosen operation')}`}>
      <p dir="ltr" className="wrap-anywhere text-start">
        {operations.slice(0, 10).join(', ')}
        {operations.length > 10 && ` and ${operations.length - 10} more`}
      </p>
    </Notice>
  );
}

type ChooserProps = {
  operations: Described;
  selected: ReadonlySet<string>;
  onChange: (operations: readonly string[], isOn: boolean) => void;
};

function Chooser({ operations, selected, onChange }: ChooserProps) {
  const [text, setText] = useState('');
  const [tag, setTag] = useState('');
  const wanted = useDeferredValue(text);
  const tags = [...new Set(operations.flatMap((one) => one.tags))].toSorted((a, b) => a.localeCompare(b));
  const matching = found(operations, wanted, tag);
  const names = matching.map(({ operation }) => operation);
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Input
          type="search"
          aria-label="Search operations"
          placeholder="Search by method, path or summary"
          maxLength={200}
          value={text}
          onChange={({ target }) => setText(target.value)}
          className="min-w-0 flex-1 basis-64 max-md:basis-full"
        />
        {tags.length > 0 && (
          <Select
            aria-label="Tag"
            value={tag}
            onChange={({ target }) => setTag(target.value)}
            className="basis-48 max-md:basis-full"
          >
            <option value="">All tags</option>
            {tags.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </Select>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <span role="status" className="me-auto text-muted-foreground text-sm">
          {counted(matching.length, 'operation')} found
        </span>
        <Button size="sm" disabled={names.every((name) => selected.has(name))} onClick={() => onChange(names, true)}>
          Select All Found
        </Button>
        <Button size="sm" disabled={!names.some((name) => selected.has(name))} onClick={() => onChange(names, false)}>
          Deselect All Found
        </Button>
      </div>
      <OperationList operations={matching} selected={selected} onChange={onChange} />
    </>
  );
}

/** Number of rows rendered at once without delay. */
function OperationList({ operations, selected, onChange }: ChooserProps) {
  const more = operations.length - maxShown;
  return (
    <>
      <ul aria-label="Operations" className="grid gap-1">
        {operations.slice(0, maxShown).map(({ operation, summary }) => (
          <li key={operation}>
            <Checkbox
              label={
                <code dir="ltr" className="wrap-anywhere text-start text-sm">
                  {operation}
                </code>
              }
              description={summary && <bdi className="wrap-anywhere">{summary}</bdi>}
              checked={selected.has(operation)}
              onChange={({ target }) => onChange([operation], target.checked)}
              className="py-1.5 max-md:min-h-10"
            />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p className="text-muted-foreground text-sm">
          And {more.toLocaleString('en-US')} more. Search or choose a tag to see them.
        </p>
      )}
    </>
  );
}
