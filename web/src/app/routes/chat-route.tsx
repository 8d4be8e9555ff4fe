import { useParams, useSearch } from '@tanstack/react-router';
import { ChatPage } from '#web/features/chat/chat-page.tsx';
import { NotFound } from './not-found-route.tsx';

export function ChatRoute() {
  const { threadId } = useParams({ strict: false });
  const { assistant, project, models, new: isNew = false } = useSearch({ from: '/signed-in/chat' });
  if (threadId !== undefined && !/^[1-9]\d{0,9}$/.test(threadId)) return <NotFound />;
  return (
    <ChatPage
      threadId={threadId === undefined ? undefined : Number(threadId)}
      assistantId={assistant}
      isNew={isNew}
      projectId={project}
      models={models}
    />
  );
}
