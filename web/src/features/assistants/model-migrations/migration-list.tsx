import type { ModelMigration } from '@roster/contracts/assistants/model-migrations';
import { useInfiniteQuery } from '@tanstack/react-query';
import { ArrowRight, Undo2 } from 'lucide-react';
import { useId } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { listNames, modelMigrationsQuery, useUndoModelMigration } from '#web/api/model-migrations.ts';
import { modelName } from '#web/api/model-names.ts';
import { ModelName } from '#web/components/model-name.tsx';
import { formatCount } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { LoadMore } from '#web/ui/load-more.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';

/** Past migrations with Undo; nothing if there were none. */
export function MigrationList() {
  const titleId = useId();
  const query = useInfiniteQuery(modelMigrationsQuery);
  const moves = query.data?.pages.flatMap(({ items }) => items) ?? [];
  if (moves.length === 0) return null;
  return (
    <section aria-labelledby={titleId} className="mt-8">
      <h2 id={titleId} className="font-semibold text-lg">
        Model migrations
      </h2>
      <ul className="mt-3 divide-y divide-border rounded-lg border border-border bg-card">
        {moves.map((move) => (
          <MoveRow key={move.id} move={move} />
        ))}
      </ul>
      <LoadMore query={query} what="migrations" />
    </section>
  );
}

function MoveRow({ move }: { move: ModelMigration }) {
  const { id, fromModel, toModel, moved, assistants, createdAt, undoneAt } = move;
  const { reason } = useEditAccess();
  const undo = useUndoModelMigration();
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3.5">
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-x-2 font-mono text-sm">
          <bdi className="wrap-anywhere">
            <ModelName model={fromModel} />
          </bdi>
          <ArrowRight role="img" aria-label="to" className="size-3.5 text-muted-foreground rtl:-scale-x-100" />
          <bdi className="wrap-anywhere">
            <ModelName model={toModel} />
          </bdi>
        </p>
        <p className="mt-0.5 wrap-anywhere text-muted-foreground text-sm">
          {assistants.length > 0 ? listNames(assistants, moved) : formatCount(moved, 'assistant')},{' '}
          <RelativeTime date={createdAt} />
        </p>
      </div>
      {undoneAt === null ? (
        <Button
          size="sm"
          icon={Undo2}
          busy={undo.isPending}
          pendingLabel="Undoing..."
          disabledReason={reason}
          aria-label={`Undo the migration from ${modelName(fromModel)} to ${modelName(toModel)}`}
          onClick={() => undo.mutate(id)}
        >
          Undo
        </Button>
      ) : (
        <p className="text-muted-foreground text-sm">
          Undone <RelativeTime date={undoneAt} />
        </p>
      )}
    </li>
  );
}
