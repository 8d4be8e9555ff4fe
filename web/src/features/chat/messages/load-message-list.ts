import { whenAppReady } from '#web/lib/app-ready.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { LoadingMessages } from './loading-messages.tsx';

/** Comes with the code that renders answers, unless that cannot be loaded. */
async function loadMessageList() {
  const [{ MessageList: List }] = await Promise.all([
    import('./message-list.tsx'),
    import('#web/ui/markdown/answer-text.tsx').then(({ loadAnswerText }) => loadAnswerText()).catch(() => undefined),
  ]);
  return List;
}

export const MessageList = lazyPart(() => whenAppReady(loadMessageList), { pending: LoadingMessages });
