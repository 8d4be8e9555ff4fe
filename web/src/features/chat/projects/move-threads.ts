import { projectMoveLimit, projects } from '@roster/contracts/projects/projects';
import type { QueryClient } from '@tanstack/react-query';
import { refreshProjects } from '#web/api/projects.ts';
import { carryOut } from '#web/features/chat/shared/mutations.ts';
import { refreshLists, refreshThread } from '#web/features/chat/shared/thread-cache.ts';
import { call } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { toast } from '#web/lib/toast.ts';

/** A conversation and its project; null: none. */
export type MovedThread = { id: number; projectId: number | null };
/** null: out of their projects. */
export type MoveTarget = { id: number; name: string } | null;

async function move(client: QueryClient, ids: readonly number[], projectId: number | null): Promise<number[]> {
  const changed: number[] = [];
  try {
    for (let from = 0; from < ids.length; from += projectMoveLimit) {
      const some = ids.slice(from, from + projectMoveLimit);
      changed.push(...(await call(projects.move, { body: { ids: some, projectId } })).changed);
    }
  } finally {
    const opened = ids.map((id) => refreshThread(client, id));
    Promise.all([refreshLists(client), refreshProjects(client), ...opened]).catch(reportError);
  }
  return changed;
}

/** Moves each back to the project it was in. */
async function moveBack(client: QueryClient, threads: readonly MovedThread[]) {
  for (const [projectId, some] of Map.groupBy(threads, (thread) => thread.projectId))
    await move(
      client,
      some.map(({ id }) => id),
      projectId,
    );
}

/** Moves conversations to a project, with an Undo; reports a failure itself. */
export async function moveThreads(client: QueryClient, threads: readonly MovedThread[], target: MoveTarget) {
  const moving = threads.filter(({ projectId }) => projectId !== (target?.id ?? null));
  if (moving.length === 0) return;
  try {
    const ids = moving.map(({ id }) => id);
    const changed = new Set(await carryOut(client, () => move(client, ids, target?.id ?? null)));
    const moved = moving.filter(({ id }) => changed.has(id));
    const undo = () =>
      void carryOut(client, () => moveBack(client, moved)).catch(showFailure('Failed to move the conversations back'));
    toast({
      title:
        target === null
          ? `${formatCount(moved.length, 'conversation')} moved out of the project`
          : `${formatCount(moved.length, 'conversation')} moved to ${target.name}`,
      ...(moved.length > 0 && { action: { label: 'Undo', onSelect: undo } }),
    });
  } catch (failure) {
    showFailure('Failed to move the conversations')(failure);
  }
}
