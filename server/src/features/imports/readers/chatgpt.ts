import type { ImportedMessage } from '#server/conversation/imported';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { type Assets, chatGptFileId, type Reference } from './assets.ts';
import { addTo, type LeftOut, type NotTaken, type ReadConversation } from './conversation.ts';
import { idIn, joinTexts, listIn, modelIn, objectIn, textIn, timeIn, titleIn } from './fields.ts';
import { finished } from './finished.ts';
import type { TreeNode } from './tree.ts';

/** Ratings of messages by their id; ChatGPT exports them in a file of their own. */
export type Ratings = ReadonlyMap<string, 'good' | 'bad'>;

export const isChatGpt = (value: JsonObject) => isObject(value.mapping);

/** Marks around citations, which mean nothing outside ChatGPT. */
const citations = /\ue200[^\ue201]*\ue201/g;

type Content = { text: string; files: Reference[]; others: number };

/** Images and sounds name their file, some of them inside of another part. */
function pointerIn(part: JsonObject): string | undefined {
  const pointers = [part.asset_pointer, objectIn(part.audio_asset_pointer).asset_pointer];
  const pointer = pointers.find((one) => typeof one === 'string');
  return typeof pointer === 'string' ? chatGptFileId(pointer) : undefined;
}

/** The text of a message, the files among its parts, and the number of those without a name. */
function contentOf(content: JsonObject, metadata: JsonObject): Content {
  const texts: string[] = [];
  const files: Reference[] = [];
  let others = 0;
  const put = (id: string | undefined) => {
    if (id === undefined) others++;
    else files.push({ id, filename: null, isGenerated: false });
  };
  for (const part of listIn(content.parts)) {
    if (typeof part === 'string') texts.push(textIn(part));
    else if (isObject(part) && typeof part.text === 'string') texts.push(textIn(part.text));
    else if (isObject(part)) put(pointerIn(part));
  }
  // Images that code has drawn.
  for (const drawn of listIn(objectIn(metadata.aggregate_result).messages).map(objectIn))
    if (drawn.message_type === 'image') put(chatGptFileId(textIn(drawn.image_url)));
  if (typeof content.text === 'string') texts.push(textIn(content.text));
  return { text: joinTexts(texts).replace(citations, ''), files, others };
}

/** Files of a message, first with the names that its attachments give them: an image is among both. */
function referencesOf(metadata: JsonObject, { files, others }: Content, isGenerated: boolean) {
  const attached = listIn(metadata.attachments)
    .map(objectIn)
    .flatMap(({ id, name }): Reference[] => {
      const found = idIn(id);
      return found === null ? [] : [{ id: found, filename: titleIn(name), isGenerated }];
    });
  const references = [...attached, ...files.map((file) => ({ ...file, isGenerated }))];
  return { references, others: Math.max(0, others - attached.length) };
}

/** Steps between question and answer: what a tool was asked, and the model's reasoning. */
function isStep(content: JsonObject, recipient: unknown) {
  const type = content.content_type;
  if (type === 'thoughts' || type === 'reasoning_recap') return true;
  return typeof recipient === 'string' && recipient !== '' && recipient !== 'all';
}

/** Parts of the export that all conversations share. */
export type ChatGptContext = { ratings: Ratings; assets: Assets };

const isHidden = (content: JsonObject, metadata: JsonObject) =>
  content.content_type === 'user_editable_context' || metadata.is_visually_hidden_from_conversation === true;

function authorOf(message: JsonObject): 'user' | 'assistant' | 'tool' | null {
  const { role } = objectIn(message.author);
  return role === 'user' || role === 'assistant' || role === 'tool' ? role : null;
}

function shownOf(message: JsonObject, { ratings, assets }: ChatGptContext, leftOut: LeftOut): TreeNode['shown'] {
  const content = objectIn(message.content);
  const metadata = objectIn(message.metadata);
  const author = authorOf(message);
  const found = contentOf(content, metadata);
  if (author === null) {
    if (found.text !== '') addTo(leftOut, 'system_messages');
    return null;
  }
  if (isHidden(content, metadata)) {
    addTo(leftOut, content.content_type === 'user_editable_context' ? 'custom_instructions' : 'hidden_messages');
    return null;
  }
  const isTool = author === 'tool';
  if (isTool && found.text !== '') addTo(leftOut, 'tool_steps');
  if (!isTool && isStep(content, message.recipient)) {
    addTo(leftOut, 'tool_steps');
    return null;
  }
  const { references, others } = referencesOf(metadata, found, author !== 'user');
  addTo(leftOut, 'files', others);
  const files = assets.take(references, leftOut);
  // Pictures of a tool are part of the answer; its texts are not.
  if (isTool ? files.length === 0 : found.text === '' && references.length + others === 0) return null;
  const rated = ratings.get(idIn(message.id) ?? '');
  const role = author === 'user' ? 'user' : 'assistant';
  const shown: TreeNode['shown'] = {
    role,
    text: isTool ? '' : found.text,
    reasoning: '',
    model: author === 'assistant' ? modelIn(metadata.model_slug) : null,
    createdAt: timeIn(message.create_time),
    files,
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

/** Its project or GPT, which the export does not describe. Both are in the same field. */
function groupOf(value: JsonObject): NotTaken | undefined {
  const id = idIn(value.gizmo_id) ?? idIn(value.conversation_template_id);
  if (!id?.startsWith('g-')) return undefined;
  return { reason: id.startsWith('g-p-') ? 'projects' : 'gpts', id, name: null };
}

/** One element of `conversations.json`. */
export function readChatGpt(value: JsonObject, context: ChatGptContext): ReadConversation {
  const leftOut: LeftOut = {};
  const mapping = objectIn(value.mapping);
  const parents = parentsIn(mapping);
  const nodes = Object.entries(mapping).map(([id, node]): TreeNode => {
    const message = objectIn(node).message;
    const shown = isObject(message) ? shownOf(message, context, leftOut) : null;
    return { id, parent: parents.get(id) ?? null, shown };
  });
  const read = finished('chatgpt', nodes, leftOut, {
    id: idIn(value.conversation_id) ?? idIn(value.id),
    title: titleIn(value.title),
    createdAt: timeIn(value.create_time),
    updatedAt: timeIn(value.update_time),
    archived: value.is_archived === true,
    pinned: value.is_starred === true,
    head: idIn(value.current_node),
  });
  const group = groupOf(value);
  return group ? { ...read, notTaken: [group] } : read;
}

/** An element of `message_feedback.json`: the message it rates. */
export function ratingIn(value: unknown): [id: string, rating: NonNullable<ImportedMessage['rating']>['value']] | null {
  const { id, rating } = objectIn(value);
  const message = idIn(id);
  if (message === null) return null;
  if (rating === 'thumbs_up' || rating === 'thumbsUp') return [message, 'good'];
  return rating === 'thumbs_down' || rating === 'thumbsDown' ? [message, 'bad'] : null;
}
