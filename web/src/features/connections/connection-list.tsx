import type { Connection } from '@roster/contracts/connections/connections';
import { type DragEvent, useState } from 'react';
import { showFailure } from '#web/lib/show-failure.ts';
import { type ConnectionAction, ConnectionRow } from './connection-row.tsx';
import { useChangeConnection } from './queries.ts';

type ListProps = {
  connections: readonly Connection[];
  isOff: boolean;
  onChoose: (what: ConnectionAction, id: number) => void;
};

/** The connections in the user's order, which dragging and the arrow keys on the handle change. */
export function ConnectionList({ connections, isOff, onChoose }: ListProps) {
  const change = useChangeConnection();
  const [dragged, setDragged] = useState<number | null>(null);
  const [said, setSaid] = useState('');

  function move(id: number, position: number) {
    const connection = connections.find((one) => one.id === id);
    if (!connection || position < 0 || position >= connections.length) return;
    setSaid(`${connection.name} is now ${position + 1} of ${connections.length}.`);
    change.mutate({ id, position }, { onError: showFailure('Failed to change the order') });
  }

  const dropOn = (position: number) => (event: DragEvent) => {
    event.preventDefault();
    if (dragged !== null) move(dragged, position);
    setDragged(null);
  };

  return (
    <>
      <ul aria-label="Connections" className="divide-y divide-border px-5 py-2">
        {connections.map((connection, position) => (
          <ConnectionRow
            key={connection.id}
            connection={connection}
            isOff={isOff}
            canMove={connections.length > 1}
            isDragged={dragged === connection.id}
            onDragStart={() => setDragged(connection.id)}
            onDragEnd={() => setDragged(null)}
            onDrop={dropOn(position)}
            onMove={(by) => move(connection.id, position + by)}
            onChoose={(what) => onChoose(what, connection.id)}
          />
        ))}
      </ul>
      <p role="status" className="sr-only">
        {said}
      </p>
    </>
  );
}
