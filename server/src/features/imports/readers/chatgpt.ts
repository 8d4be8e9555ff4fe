import type { ImportedMessage } from '#server/conversation/imported';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { addTo, type LeftOut, type ReadConversation } from './conversation.ts';
import { idIn, joinTexts, listIn, modelIn, objectIn, textIn, timeIn, titleIn } from './fields.ts';
import { finished } from './finished.ts';
import type { TreeNode } from './tree.ts';

/** Ratings of messages by their id; ChatGPT exports them in a file of their own. */
export type Ratings = ReadonlyMap<string, 'good' | 'bad'>;

export const isChatGpt = (value: JsonObject) => isObject(value.mapping);

/** Marks around citations, which mean nothing outside ChatGPT. */
const citations = /\ue200[^\ue201]*\ue201/g;

/** The text of a message, and the number of files among its parts. */
function contentOf(content: JsonObject): { text: string; files: number } {
  const texts: string[] = [];
  let files = 0;
  for (const part of listIn(content.parts)) {
    if (typeof part === 'string') texts.push(textIn(part));
    else if (isObject(part) && typeof part.text === 'string') texts.push(textIn(part.text));
    else if (isObject(part)) files++;
  }
  if (typeof content.text === 'string') texts.push(textIn(content.text));
  return { text: joinTexts(texts).replace(citations, ''), files };
}

/** Steps between question and answer: what a tool was asked, and the model's reasoning. */
function isStep(content: JsonObject, recipient: unknown) {
  const type = content.content_type;
  if (type === 'thoughts' || type === 'reasoning_recap') return true;
  return typeof recipient === 'string' && recipient !== '' && recipient !== 'all';
}

function shownOf(message: JsonObject, ratings: Ratings, leftOut: LeftOut): TreeNode['shown'] {
  const content = objectIn(message.content);
  const metadata = objectIn(message.metadata);
  const role = objectIn(message.author).role;
  const { text, files } = contentOf(content);
  const attached = listIn(metadata.attachments).length;
  if (role !== 'user' && role !== 'assistant') {
    if (text !== '') addTo(leftOut, role === 'tool' ? 'tool_steps' : 'system_messages');
    addTo(leftOut, 'files', files);
    return null;
  }
  if (content.content_type === 'user_editable_context' || metadata.is_visually_hidden_from_conversation === true) {
    addTo(leftOut, 'hidden_messages');
    return null;
  }
  if (isStep(content, message.recipient)) {
    addTo(leftOut, 'tool_steps');
    return null;
  }
  // An image is among the parts and among the attachments.
  const withFiles = Math.max(files, attached);
  addTo(leftOut, 'files', withFiles);
  if (text === '' && withFiles === 0) return null;
  const rated = ratings.get(idIn(message.id) ?? '');
  const shown: TreeNode['shown'] = {
    role,
    text,
    reasoning: '',
    model: role === 'assistant' ? modelIn(metadata.model_slug) : null,
    createdAt: timeIn(message.create_time),
    rating: rated && role === 'assistant' ? { value: rated, correction: null } : null,
  };
  return shown;
}

/** Parents as the nodes name them; where one does not, as its parent names its children. */
function parentsIn(mapping: JsonObject): Map<string, string> {
  const parents = new Map<string, string>();
  for (const [id, node] of Object.entries(mapping))
    for (const child of listIn(objectIn(node).children)) {
      const named = idIn(child);
      if (named !== null) parents.set(named, id);
    }
  for (const [id, node] of Object.entries(mapping)) {
    const parent = idIn(objectIn(node).parent);
    if (parent !== null) parents.set(id, parent);
  }
  return parents;
}

/** One element of `conversations.json`. */
export function readChatGpt(value: JsonObject, ratings: Ratings): ReadConversation {
  const leftOut: LeftOut = {};
  const mapping = objectIn(value.mapping);
  const parents = parentsIn(mapping);
  const nodes = Object.entries(mapping).map(([id, node]): TreeNode => {
    const message = objectIn(node).message;
    const shown = isObject(message) ? shownOf(message, ratings, leftOut) : null;
    return { id, parent: parents.get(id) ?? null, shown };
  });
  return finished('chatgpt', nodes, leftOut, {
    id: idIn(value.conversation_id) ?? idIn(value.id),
    title: titleIn(value.title),
    createdAt: timeIn(value.create_time),
    updatedAt: timeIn(value.update_time),
    archived: value.is_archived === true,
    pinned: value.is_starred === true,
    head: idIn(value.current_node),
  });
}

/** An element of `message_feedback.json`: the message it rates. */
export function ratingIn(value: unknown): [id: string, rating: NonNullable<ImportedMessage['rating']>['value']] | null {
  const { id, rating } = objectIn(value);
  const message = idIn(id);
  if (message === null) return null;
  if (rating === 'thumbs_up' || rating === 'thumbsUp') return [message, 'good'];
  return rating === 'thumbs_down' || rating === 'thumbsDown' ? [message, 'bad'] : null;
}
