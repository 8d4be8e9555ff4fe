import type { ImportedMessage } from '#server/conversation/imported';
import { isObject, type JsonObject } from '#server/lib/is-object';
import type { Assets } from './assets.ts';
import { addTo, type LeftOut, type ReadConversation } from './conversation.ts';
import { idIn, listIn, modelIn, objectIn, textIn, timeIn, titleIn } from './fields.ts';
import { finished } from './finished.ts';
import type { TreeNode } from './tree.ts';

export const isRoster = (value: JsonObject) => value.format === 'roster.conversation';

function ratingOf(rating: unknown): ImportedMessage['rating'] {
  if (!isObject(rating)) return null;
  const value = rating.value === 'good' || rating.value === 'bad' ? rating.value : null;
  const correction = textIn(rating.correction) || null;
  return value === null && correction === null ? null : { value, correction };
}

function shownOf(message: JsonObject, assets: Assets, leftOut: LeftOut): TreeNode['shown'] {
  const { role } = message;
  const references = listIn(message.files).map(objectIn);
  const files = assets.take(
    references.flatMap(({ sha256, filename }) => {
      const id = idIn(sha256);
      return id === null ? [] : [{ id, filename: titleIn(filename), isGenerated: role === 'assistant' }];
    }),
    leftOut,
  );
  const missing = references.filter(({ sha256 }) => idIn(sha256) === null).length + listIn(message.imageUrls).length;
  addTo(leftOut, 'files', missing);
  addTo(leftOut, 'tool_steps', listIn(message.calls).length);
  const [text, reasoning] = [textIn(message.text), textIn(message.reasoning)];
  if (role !== 'user' && role !== 'assistant') return null;
  if (text.trim() === '' && reasoning === '' && references.length + missing === 0) return null;
  return {
    role,
    text,
    reasoning,
    model: role === 'assistant' ? modelIn(message.model) : null,
    createdAt: timeIn(message.createdAt),
    files,
    rating: role === 'assistant' ? ratingOf(message.rating) : null,
  };
}

/** A file of `conversations/` in an account export, or the download of one conversation. */
export function readRoster(value: JsonObject, file: string, assets: Assets): ReadConversation {
  const leftOut: LeftOut = {};
  const thread = objectIn(value.thread);
  const messages = listIn(value.messages).filter(isObject);
  const nodes = messages.map(
    (message, at): TreeNode => ({
      id: idIn(message.id) ?? `message ${at}`,
      parent: idIn(message.parentId),
      shown: shownOf(message, assets, leftOut),
    }),
  );
  const createdAt = timeIn(thread.createdAt);
  return finished('roster', nodes, leftOut, {
    // Numbers repeat in other installations; together with the time they do not.
    id: createdAt === null ? null : `${createdAt} ${idIn(objectIn(messages[0]).id) ?? file}`,
    title: titleIn(thread.title),
    createdAt,
    updatedAt: timeIn(thread.updatedAt),
    archived: thread.archived === true,
    pinned: thread.pinned === true,
    head: idIn(thread.head),
  });
}
