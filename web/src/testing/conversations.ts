import { chat, type Message, type ThreadListItem } from '@roster/contracts/chat';
import { trash } from '@roster/contracts/trash';
import { answer, refusal } from './answers.ts';
import { fixtureDate } from './new-account.ts';

export const thread = (id: number, more: Partial<ThreadListItem> = {}): ThreadListItem => ({
  id,
  title: `Conversation ${id}`,
  assistantId: null,
  model: 'gpt-4o',
  pinned: false,
  archived: false,
  madeBy: null,
  createdAt: fixtureDate,
  updatedAt: new Date().toISOString(),
  runId: null,
  match: null,
  ...more,
});

/** Messages that alternate between question and answer, starting with a question. */
export const exchange = (threadId: number, ...parts: Partial<Message>[]): Message[] =>
  parts.map((part, index) => ({
    id: index + 1,
    threadId,
    parentId: index === 0 ? null : index,
    role: index % 2 === 0 ? 'user' : 'assistant',
    text: '',
    reasoning: '',
    state: 'complete',
    run: index % 2 === 0 ? null : { id: index, state: 'complete' },
    model: index % 2 === 0 ? null : 'gpt-4o',
    usage: null,
    error: null,
    notes: [],
    files: [],
    sources: [],
    rating: null,
    siblings: [index + 1],
    together: [],
    chosenId: null,
    createdAt: fixtureDate,
    finishedAt: fixtureDate,
    endedEarly: null,
    ...part,
  }));

/** Answers calls about conversations from a list that can be changed; all share the same messages. */
export function serveThreads(given: ThreadListItem[], messages: Message[] = []): void {
  let kept = given;
  const found = (id: number) =>
    kept.find((one) => one.id === id) ?? refusal('not_found', 'There is no such conversation.');
  answer(chat.threads, ({ query }) => {
    const { archived: inArchive = false, programs = inArchive ? undefined : false } = query;
    const items = kept.filter(
      ({ archived, madeBy }) => archived === inArchive && (programs === undefined || programs === (madeBy !== null)),
    );
    return { items: items.toSorted((one, other) => Number(other.pinned) - Number(one.pinned)), nextCursor: null };
  });
  answer(chat.thread, ({ params }) => found(params.id));
  answer(trash.find, refusal('not_found', 'This conversation is not in the trash.'));
  answer(chat.messages, { items: messages, nextCursor: null, newerCursor: null });
  answer(chat.updateThread, ({ params, body }) => {
    kept = kept.map(({ tools, ...one }) =>
      one.id === params.id
        ? {
            ...one,
            tools: body.tools === undefined ? tools : (body.tools ?? undefined),
            title: body.title ?? one.title,
            model: body.model === undefined ? one.model : body.model,
            pinned: body.pinned ?? one.pinned,
            archived: body.archived ?? one.archived,
          }
        : { ...one, tools },
    );
    return found(params.id);
  });
  answer(chat.removeThread, ({ params }) => {
    kept = kept.filter(({ id }) => id !== params.id);
  });
}

/** A conversation with one question and one answer. */
export const oneAnswer = (part: Partial<Message>, more: Partial<ThreadListItem> = {}): void =>
  serveThreads([thread(1, more)], exchange(1, { text: 'The question' }, part));
