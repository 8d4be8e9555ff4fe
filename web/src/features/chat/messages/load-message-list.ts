/** What draws the answers comes with it, unless it cannot be had. */
export async function loadMessageList() {
  const [{ MessageList }] = await Promise.all([
    import('./message-list.tsx'),
    import('#web/ui/markdown/answer-text.tsx').then(({ loadAnswerText }) => loadAnswerText()).catch(() => undefined),
  ]);
  return { default: MessageList };
}
