import { loadContent } from '#web/lib/app-ready.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { LoadingMessages } from './loading-messages.tsx';

/** Comes with the code that renders answers, unless that cannot be loaded. */
async function loadMessageList() {
  const renderer = Promise.all([
    import('#web/ui/markdown/answer-text.tsx').then(({ loadAnswerText }) => loadAnswerText()),
    // Named here too: otherwise each is asked for only when the one before has arrived.
    import('#web/ui/markdown/markdown-text.tsx'),
    import('#web/ui/markdown/document.ts'),
  ]);
  const [{ MessageList: List }] = await Promise.all([import('./message-list.tsx'), renderer.catch(() => undefined)]);
  return List;
}

export const MessageList = lazyPart(() => loadContent(loadMessageList), { pending: LoadingMessages });
