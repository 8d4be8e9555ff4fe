import { useParams, useSearch } from '@tanstack/react-router';
import { ChatPage } from '#web/features/chat/chat-page.tsx';
import { NotFoundPage } from './not-found.tsx';

export function ChatRoute() {
  const { threadId } = useParams({ strict: false });
  const { assistant, new: isNew = false } = useSearch({ from: '/signed-in/chat' });
  if (threadId !== undefined && !/^[1-9]\d{0,9}$/.test(threadId)) return <NotFoundPage />;
  return (
    <ChatPage threadId={threadId === undefined ? undefined : Number(threadId)} assistantId={assistant} isNew={isNew} />
  );
}
