import { type Connection, type connections, connectionsPerUser } from '@roster/contracts/connections/connections';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Cable, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { z } from 'zod';
import { connectionsQuery } from '#web/api/connections.ts';
import { errorText } from '#web/lib/api-client.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardFooter, CardHeader } from '#web/ui/card.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { LoadingRows } from '#web/ui/states/loading-rows.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { AddDialog } from './add-dialog.tsx';
import { CheckDialog } from './check-dialog.tsx';
import { ConnectionList } from './connection-list.tsx';
import type { ConnectionAction } from './connection-row.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { OfferedList } from './offered-list.tsx';
import { RemoveDialog } from './remove-dialog.tsx';

type Opened = { what: ConnectionAction; id: number };

/** The user's accounts with providers beside the installation's own. */
export function ConnectionsCard() {
  const query = useQuery(connectionsQuery);
  const [isAdding, setAdding] = useState(false);
  const [opened, setOpened] = useState<Opened | null>(null);
  const list = query.data?.connections ?? [];
  const isOff = query.data?.policy === 'off';
  const isFull = list.length >= connectionsPerUser;
  const add = !isOff && (
    <Button
      icon={Plus}
      onClick={() => setAdding(true)}
      disabledReason={isFull ? `You can have ${connectionsPerUser} connections. Remove one first.` : undefined}
    >
      Add Connection
    </Button>
  );
  const connection = list.find(({ id }) => id === opened?.id);
  return (
    <Card>
      <CardHeader
        title="Connections"
        description="Your accounts with other providers, and servers of your own. Their models appear next to the others."
        action={list.length > 0 && add}
      />
      <Content query={query} add={add} onChoose={(what, id) => setOpened({ what, id })} />
      <CardFooter>
        Keys are encrypted at rest, are sent only to the address they were entered for, and are never shown again.
      </CardFooter>
      {isAdding && <AddDialog onClose={() => setAdding(false)} />}
      {connection && opened && (
        <OpenedDialog what={opened.what} connection={connection} onClose={() => setOpened(null)} />
      )}
    </Card>
  );
}

type OpenedDialogProps = { what: ConnectionAction; connection: Connection; onClose: () => void };

function OpenedDialog({ what, ...props }: OpenedDialogProps) {
  if (what === 'edit') return <EditDialog {...props} />;
  if (what === 'check') return <CheckDialog {...props} />;
  return <RemoveDialog {...props} />;
}

type ContentProps = {
  query: UseQueryResult<z.output<typeof connections.list.output>>;
  add: ReactNode;
  onChoose: (what: ConnectionAction, id: number) => void;
};

function Content({ query, add, onChoose }: ContentProps) {
  if (query.isPending) return <LoadingRows label="Loading connections" className="px-5 py-2" />;
  if (query.isError)
    return (
      <div className="px-5 py-5">
        <RetryNotice tone="destructive" live query={query}>
          Failed to load the connections: {errorText(query.error)}
        </RetryNotice>
      </div>
    );
  const { policy, connections: list, offered } = query.data;
  return (
    <>
      {policy === 'off' && (
        <div className="px-5 pt-5">
          <Notice tone="info" title="Connections are turned off">
            The operator of this installation does not allow connections to other providers. Those that you have are
            kept, but not used.
          </Notice>
        </div>
      )}
      {list.length === 0 ? (
        <EmptyState
          bare
          icon={Cable}
          text={offered.length > 0 ? 'No connections of your own yet.' : 'No connections yet.'}
          action={add}
          className="py-8"
        />
      ) : (
        <ConnectionList connections={list} isOff={policy === 'off'} onChoose={onChoose} />
      )}
      {offered.length > 0 && <OfferedList offered={offered} />}
    </>
  );
}
