import type { ImportedMessage } from '#server/conversation/imported';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { addTo, type LeftOut, type ReadConversation } from './conversation.ts';
import { idIn, joinTexts, listIn, modelIn, objectIn, textIn, timeIn, titleIn } from './fields.ts';
import { finished } from './finished.ts';
import type { TreeNode } from './tree.ts';

/** A chat with the fields of its row around it, or alone. */
export const isOpenWebUi = (value: JsonObject) => isObject(value.chat) || isObject(value.history);

/** Reasoning and tool calls are written into an answer as foldable blocks. */
const blocks = /<details type="(reasoning|tool_calls|code_interpreter)"[^>]*>([\s\S]*?)<\/details>\n*/g;
const entities: Record<string, string> = { '&gt;': '>', '&lt;': '<', '&quot;': '"', '&#x27;': "'", '&amp;': '&' };

const thoughtsIn = (block: string) =>
  block
    .replace(/<summary>[\s\S]*?<\/summary>/, '')
    .replace(/&(?:gt|lt|quot|#x27|amp);/g, (entity) => entities[entity] ?? entity)
    .replace(/^> ?/gm, '')
    .trim();

function contentOf(message: JsonObject) {
  const thoughts: string[] = [];
  let [steps, files] = [0, listIn(message.files).length];
  const texts: string[] = [];
  for (const part of listIn(message.content).filter(isObject)) {
    if (part.type === 'text') texts.push(textIn(part.text));
    else files++;
  }
  const raw = typeof message.content === 'string' ? textIn(message.content) : joinTexts(texts);
  const text = raw.replace(blocks, (_whole, kind: string, block: string) => {
    if (kind === 'reasoning') thoughts.push(thoughtsIn(block));
    else steps++;
    return '';
  });
  return { text: text.trim() === '' ? '' : text, reasoning: joinTexts(thoughts), steps, files };
}

function ratingOf(annotation: unknown): ImportedMessage['rating'] {
  const { rating } = objectIn(annotation);
  if (rating === 1 || rating === '1') return { value: 'good', correction: null };
  return rating === -1 || rating === '-1' ? { value: 'bad', correction: null } : null;
}

function shownOf(message: JsonObject, leftOut: LeftOut): TreeNode['shown'] {
  const { role } = message;
  const { text, reasoning, steps, files } = contentOf(message);
  addTo(leftOut, 'files', files);
  addTo(leftOut, 'tool_steps', steps);
  if (role !== 'user' && role !== 'assistant') {
    if (text !== '') addTo(leftOut, role === 'tool' ? 'tool_steps' : 'system_messages');
    return null;
  }
  if (text === '' && reasoning === '' && files === 0) return null;
  return {
    role,
    text,
    reasoning,
    model: role === 'assistant' ? (modelIn(message.model) ?? modelIn(message.modelName)) : null,
    createdAt: timeIn(message.timestamp),
    files: [],
    rating: role === 'assistant' ? ratingOf(message.annotation) : null,
  };
}

/** The tree of messages; chats of the first versions have only a list. */
function nodesOf(chat: JsonObject, leftOut: LeftOut): TreeNode[] {
  const tree = Object.entries(objectIn(objectIn(chat.history).messages));
  if (tree.length > 0)
    return tree.map(([id, message]) => ({
      id,
      parent: idIn(objectIn(message).parentId),
      shown: shownOf(objectIn(message), leftOut),
    }));
  const list = listIn(chat.messages).map(objectIn);
  const ids = list.map(({ id }, at) => idIn(id) ?? `message ${at}`);
  return list.map((message, at) => ({
    id: ids[at] ?? '',
    parent: idIn(message.parentId) ?? ids[at - 1] ?? null,
    shown: shownOf(message, leftOut),
  }));
}

/** One element of the exported list of chats. */
export function readOpenWebUi(value: JsonObject): ReadConversation {
  const leftOut: LeftOut = {};
  const chat = isObject(value.chat) ? value.chat : value;
  return finished('open-webui', nodesOf(chat, leftOut), leftOut, {
    id: idIn(value.id),
    title: titleIn(value.title) ?? titleIn(chat.title),
    createdAt: timeIn(value.created_at) ?? timeIn(chat.timestamp),
    updatedAt: timeIn(value.updated_at),
    archived: value.archived === true,
    pinned: value.pinned === true,
    head: idIn(objectIn(chat.history).currentId),
  });
}
