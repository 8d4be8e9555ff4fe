import { createHash } from 'node:crypto';
import type { ImportSource } from '@roster/contracts/imports';
import { type ImportedConversation, missingFileText } from '#server/conversation/imported';
import { addTo, type LeftOut, type ReadConversation } from './conversation.ts';
import { messagesInOrder, shownAt, type TreeNode } from './tree.ts';

type Fields = Pick<
  ImportedConversation,
  'title' | 'createdAt' | 'updatedAt' | 'archived' | 'pinned' | 'head' | 'place'
> & {
  id: string | null;
};

/** For conversations without an id: the same content gets the same one. */
const idOfContent = (title: string | null, nodes: TreeNode[]) =>
  createHash('sha256')
    .update(JSON.stringify([title, nodes.map(({ id, shown }) => [id, shown?.createdAt, shown?.text.slice(0, 200)])]))
    .digest('hex');

/** Orders the messages of a conversation and completes what the export leaves open. */
export function finished(
  source: ImportSource,
  nodes: TreeNode[],
  leftOut: LeftOut,
  { id, head, ...fields }: Fields,
): ReadConversation {
  const messages = messagesInOrder(nodes).map((message) =>
    message.text.trim() === '' && !message.answer
      ? { ...message, text: message.files.length === 0 ? missingFileText : '' }
      : message,
  );
  if (messages.length === 0) {
    addTo(leftOut, 'empty_conversations');
    return { conversation: null, leftOut };
  }
  const times = messages.flatMap(({ createdAt }) => (createdAt === null ? [] : [createdAt])).sort();
  const conversation = {
    ...fields,
    source,
    sourceId: id ?? idOfContent(fields.title, nodes),
    createdAt: fields.createdAt ?? times.at(0) ?? null,
    updatedAt: fields.updatedAt ?? times.at(-1) ?? null,
    messages,
    head: shownAt(nodes, head),
  };
  return { conversation, leftOut };
}
