type Assistant = { id: number; name: string | null } | null;

/** What to call the answerer: chats may have no assistant, or one that was deleted since. */
export const assistantName = (assistant: Assistant): string =>
  assistant === null ? 'No assistant' : (assistant.name ?? `Deleted assistant ${assistant.id}`);
