import type { Connection } from '@roster/contracts/connections/connections';
import { GripVertical } from 'lucide-react';
import { type DragEvent, Fragment, type KeyboardEvent } from 'react';
import { showFailure } from '#web/lib/show-failure.ts';
import { Badge } from '#web/ui/badge.tsx';
import { Button } from '#web/ui/button.tsx';
import { classNames } from '#web/ui/class-names.ts';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { ActionMenu } from './action-menu.tsx';
import { PresetMark } from './preset-mark.tsx';
import { useChangeConnection } from './queries.ts';

export type ConnectionAction = 'edit' | 'check' | 'remove';

type RowProps = {
  connection: Connection;
  isOff: boolean;
  canMove: boolean;
  isDragged: boolean;
  onDragStart: () => void;
  onDragEnd: () => void;
  onDrop: (event: DragEvent) => void;
  onMove: (by: 1 | -1) => void;
  onChoose: (what: ConnectionAction) => void;
};

export function ConnectionRow(props: RowProps) {
  const { connection, isOff, canMove, isDragged, onDragStart, onDragEnd, onDrop, onMove, onChoose } = props;
  const { name, preset, baseUrl, hasKey, keyLast4, headerNames, checkedAt, notice } = connection;
  return (
    <li
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
      className={classNames('flex flex-wrap items-start gap-x-4 gap-y-3 py-4', isDragged && 'opacity-50')}
    >
      <div className="flex min-w-0 flex-1 basis-64 gap-3">
        {canMove && <Handle name={name} onDragStart={onDragStart} onDragEnd={onDragEnd} onMove={onMove} />}
        <PresetMark preset={preset} />
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
            <span dir="auto" className="wrap-anywhere">
              {name}
            </span>
            <StateBadge connection={connection} isOff={isOff} />
          </p>
          <p className="mt-1 flex flex-wrap gap-x-4 text-muted-foreground text-sm">
            <span dir="ltr" className="wrap-anywhere">
              {baseUrl}
            </span>
            <span>{hasKey ? <KeyEnding last4={keyLast4} /> : 'No key'}</span>
            <HeaderNames names={headerNames} />
            {checkedAt && (
              <span>
                Checked <RelativeTime date={checkedAt} />
              </span>
            )}
          </p>
          {notice && (
            <p className="wrap-anywhere mt-1 text-sm text-warning-text">
              <bdi>{notice}</bdi>
            </p>
          )}
        </div>
      </div>
      <div className={classNames('flex items-center gap-2', canMove ? 'max-sm:ps-18' : 'max-sm:ps-11')}>
        <Button size="sm" aria-label={`Check ${name}`} onClick={() => onChoose('check')}>
          Check
        </Button>
        <RowMenu connection={connection} onChoose={onChoose} />
      </div>
    </li>
  );
}

/** A name breaks only if it is wider than the row. */
export function HeaderNames({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <span className="min-w-0">
      {names.length === 1 ? 'Header' : 'Headers'}
      {names.map((name, at) => (
        <Fragment key={name}>
          {' '}
          <span dir="ltr" className="wrap-anywhere inline-block max-w-full">
            {at < names.length - 1 ? `${name},` : name}
          </span>
        </Fragment>
      ))}
    </span>
  );
}

function KeyEnding({ last4 }: { last4: string | null }) {
  if (!last4) return 'Key is set';
  return (
    <>
      {'Key ends in '}
      <span dir="ltr" className="font-mono">
        {last4}
      </span>
    </>
  );
}

function StateBadge({ connection: { isPaused, notice, checks }, isOff }: { connection: Connection; isOff: boolean }) {
  if (isOff) return <Badge tone="warning">Off</Badge>;
  if (isPaused) return <Badge tone="warning">Paused</Badge>;
  if (notice) return <Badge tone="warning">Not verified</Badge>;
  const works = checks.some(({ ability, result }) => ability === 'answer' && result === 'works');
  return works ? <Badge tone="success">Verified</Badge> : null;
}

type HandleProps = Pick<RowProps, 'onDragStart' | 'onDragEnd' | 'onMove'> & { name: string };

/** Dragged with a pointer, moved with the arrow keys. */
function Handle({ name, onDragStart, onDragEnd, onMove }: HandleProps) {
  const move = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    onMove(event.key === 'ArrowUp' ? -1 : 1);
  };
  return (
    <button
      type="button"
      draggable
      aria-label={`Move ${name} with the arrow keys`}
      onDragStart={onDragStart}
      onDragEnd={onDragEnd}
      onKeyDown={move}
      className="-ms-2 flex h-8 w-6 shrink-0 cursor-grab items-center justify-center rounded-sm text-muted-foreground hover:bg-hover"
    >
      <GripVertical aria-hidden className="size-4" />
    </button>
  );
}

function RowMenu({ connection: { id, name, isPaused }, onChoose }: Pick<RowProps, 'connection' | 'onChoose'>) {
  const change = useChangeConnection();
  const pause = () =>
    change.mutate({ id, isPaused: !isPaused }, { onError: showFailure('Failed to update the connection') });
  return <ActionMenu name={name} isPaused={isPaused} onPause={pause} onChoose={onChoose} />;
}
