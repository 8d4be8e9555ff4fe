import type { ImportedMessage } from '#server/conversation/imported';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { addTo, type LeftOut, type ReadConversation } from './conversation.ts';
import { idIn, joinTexts, listIn, modelIn, objectIn, textIn, timeIn, titleIn } from './fields.ts';
import { finished } from './finished.ts';
import type { TreeNode } from './tree.ts';

export const isLibreChat = (value: JsonObject) =>
  Array.isArray(value.messages) && (idIn(value.conversationId) !== null || 'exportAt' in value);

type Flat = { message: JsonObject; parent: string | null; id: string };

/** Exports are a list, or, with the option *recursive*, a tree of children. */
function flatten(messages: unknown[]): Flat[] {
  const flat: Flat[] = [];
  const waiting = messages.map((message) => ({ message, under: null as string | null })).toReversed();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { message, under } = next;
    if (!isObject(message)) continue;
    const id = idIn(message.messageId) ?? `message ${flat.length}`;
    flat.push({ message, id, parent: under ?? idIn(message.parentMessageId) });
    for (const child of listIn(message.children).toReversed()) waiting.push({ message: child, under: id });
  }
  return flat;
}

/** A text is there as such, or as `{value}`. */
const partText = (text: unknown) => (isObject(text) ? textIn(text.value) : textIn(text));

function contentOf(message: JsonObject) {
  const texts: string[] = [];
  const thoughts: string[] = [];
  let [steps, files] = [0, listIn(message.files).length + listIn(message.attachments).length];
  for (const part of listIn(message.content).filter(isObject)) {
    if (part.type === 'text') texts.push(partText(part.text));
    else if (part.type === 'think') thoughts.push(partText(part.think));
    else if (part.type === 'tool_call') steps++;
    else if (part.type === 'image_file' || part.type === 'image_url') files++;
  }
  const text = joinTexts(texts);
  return { text: text === '' ? textIn(message.text) : text, reasoning: joinTexts(thoughts), steps, files };
}

function ratingOf(feedback: unknown): ImportedMessage['rating'] {
  const { rating } = objectIn(feedback);
  if (rating === 'thumbsUp') return { value: 'good', correction: null };
  return rating === 'thumbsDown' ? { value: 'bad', correction: null } : null;
}

function shownOf(message: JsonObject, model: string | null, leftOut: LeftOut): TreeNode['shown'] {
  const { text, reasoning, steps, files } = contentOf(message);
  addTo(leftOut, 'files', files);
  addTo(leftOut, 'tool_steps', steps);
  if (message.role === 'system') {
    addTo(leftOut, 'system_messages');
    return null;
  }
  if (text.trim() === '' && reasoning === '' && files === 0) return null;
  const isUser =
    message.isCreatedByUser === true || (message.isCreatedByUser === undefined && message.sender === 'User');
  return {
    role: isUser ? 'user' : 'assistant',
    text,
    reasoning,
    model: isUser ? null : (modelIn(message.model) ?? model),
    createdAt: timeIn(message.createdAt),
    files: [],
    rating: isUser ? null : ratingOf(message.feedback),
  };
}

/** An exported conversation. */
export function readLibreChat(value: JsonObject): ReadConversation {
  const leftOut: LeftOut = {};
  const model = modelIn(objectIn(value.options).model);
  const flat = flatten(listIn(value.messages));
  const hasParents = flat.some(({ parent }) => parent !== null);
  const nodes = flat.map(
    ({ message, id, parent }, at): TreeNode => ({
      id,
      parent: hasParents ? parent : (flat[at - 1]?.id ?? null),
      shown: shownOf(message, model, leftOut),
    }),
  );
  return finished('librechat', nodes, leftOut, {
    id: idIn(value.conversationId),
    title: titleIn(value.title),
    createdAt: timeIn(value.createdAt),
    updatedAt: timeIn(value.updatedAt),
    archived: value.isArchived === true,
    pinned: false,
    head: null,
  });
}
