import { temporaryThreads } from '@roster/contracts/temporary-threads';
import { type RefObject, useEffect } from 'react';
import { urlOf } from '#web/lib/api-client.ts';

/** Below the two minutes after which one that was left is deleted. */
const reopenEveryMs = 45_000;

/** A page that is being closed can still send this; a reload takes it back. */
const tell = (what: 'leave' | 'reopen', threadId: number) =>
  void fetch(urlOf(temporaryThreads[what], { params: { id: threadId } }), {
    method: 'POST',
    credentials: 'same-origin',
    keepalive: true,
    headers: { 'content-type': 'application/json' },
    body: '{}',
  }).catch(() => undefined);

/** Tells the server when the conversation is left, with the page or within it, and that it is still open. */
export function usePresence(threadId: number, isOver: RefObject<boolean>) {
  useEffect(() => {
    const leave = () => isOver.current || tell('leave', threadId);
    const reopen = () => isOver.current || document.hidden || tell('reopen', threadId);
    reopen();
    // Another tab with the same conversation may have been closed.
    const timer = setInterval(reopen, reopenEveryMs);
    addEventListener('pagehide', leave);
    addEventListener('pageshow', reopen);
    document.addEventListener('visibilitychange', reopen);
    return () => {
      clearInterval(timer);
      removeEventListener('pagehide', leave);
      removeEventListener('pageshow', reopen);
      document.removeEventListener('visibilitychange', reopen);
      leave();
    };
  }, [threadId, isOver]);
}
