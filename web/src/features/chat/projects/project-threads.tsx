import type { Project, ProjectThread } from '@roster/contracts/projects/projects';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Ellipsis, FolderInput, FolderMinus, MessagesSquare } from 'lucide-react';
import { useState } from 'react';
import { projectThreadsQuery } from '#web/api/projects.ts';
import { errorText } from '#web/lib/api-client.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { allItems } from '#web/lib/text/paged-items.ts';
import { Badge } from '#web/ui/badge.tsx';
import { buttonClass } from '#web/ui/button.tsx';
import { Card } from '#web/ui/card.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { LoadMore } from '#web/ui/load-more.tsx';
import { Menu, MenuItem } from '#web/ui/menus/menu.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { EmptyState } from '#web/ui/states/empty-state.tsx';
import { ErrorState } from '#web/ui/states/error-state.tsx';
import { LoadingRows } from '#web/ui/states/loading-rows.tsx';
import { type MovedThread, moveThreads } from './move-threads.ts';

const MoveDialog = lazyPart(async () => (await import('./move-dialog.tsx')).MoveDialog);

/** The conversations of a project, the newest first, in pages. */
export function ProjectThreads({ project }: { project: Project }) {
  const query = useInfiniteQuery(projectThreadsQuery(project.id));
  const [moving, setMoving] = useState<MovedThread | null>(null);
  if (!query.data)
    return query.error ? (
      <ErrorState
        title="Failed to load the conversations"
        message={errorText(query.error)}
        busy={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    ) : (
      <Card className="px-4">
        <LoadingRows label="Loading conversations" />
      </Card>
    );
  const threads = allItems(query.data);
  if (threads.length === 0) return <NoThreads projectId={project.id} />;
  return (
    <section aria-labelledby="project-conversations" className="min-w-0">
      <h2 id="project-conversations" className="sr-only">
        {formatCount(project.conversations, 'conversation')}
      </h2>
      <ul aria-label="Conversations" className="divide-y divide-border rounded-lg border border-border bg-card">
        {threads.map((thread) => (
          <ThreadRow
            key={thread.id}
            thread={thread}
            projectId={project.id}
            onMove={() => setMoving({ id: thread.id, projectId: project.id })}
          />
        ))}
      </ul>
      <p className="mt-3 text-muted-foreground text-sm">
        {threads.length < project.conversations
          ? `${threads.length} of ${formatCount(project.conversations, 'conversation')}`
          : formatCount(threads.length, 'conversation')}
      </p>
      <LoadMore query={query} what="conversations" />
      {moving && <MoveDialog threads={[moving]} onClose={() => setMoving(null)} />}
    </section>
  );
}

const NoThreads = ({ projectId }: { projectId: number }) => (
  <EmptyState
    icon={MessagesSquare}
    title="No conversations in this project"
    text="Start one here, or move one from Chat: by its menu, or by dragging it onto the project."
    action={
      <>
        <Link to="/chat" search={{ new: true, project: projectId }} className={buttonClass({})}>
          New chat in this project
        </Link>
        <Link to="/chat" className={buttonClass({ variant: 'ghost' })}>
          Open Chat
        </Link>
      </>
    }
  />
);

type ThreadRowProps = { thread: ProjectThread; projectId: number; onMove: () => void };

function ThreadRow({ thread: { id, title, archived, updatedAt }, projectId, onMove }: ThreadRowProps) {
  const client = useQueryClient();
  return (
    <li className="relative flex min-h-11 items-center gap-3 ps-4 pe-2 first:rounded-t-lg last:rounded-b-lg hover:bg-hover">
      <Link
        to="/chat/$threadId"
        params={{ threadId: String(id) }}
        dir="auto"
        title={title}
        className="min-w-0 flex-1 truncate py-2.5 after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:rounded-lg focus-visible:after:outline-2 focus-visible:after:outline-ring focus-visible:after:-outline-offset-2"
      >
        {title}
      </Link>
      {archived && <Badge>Archived</Badge>}
      <RelativeTime date={updatedAt} className="shrink-0 text-muted-foreground text-sm max-sm:hidden" />
      <span className="relative">
        <Menu
          trigger={
            <IconButton
              label={`Actions for ${title}`}
              tooltip="Actions"
              icon={Ellipsis}
              size="sm"
              className="max-md:size-10"
            />
          }
        >
          <MenuItem icon={FolderInput} onSelect={onMove}>
            Move to project
          </MenuItem>
          <MenuItem icon={FolderMinus} onSelect={() => void moveThreads(client, [{ id, projectId }], null)}>
            Remove from project
          </MenuItem>
        </Menu>
      </span>
    </li>
  );
}
