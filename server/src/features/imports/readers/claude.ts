import { isObject, type JsonObject } from '#server/lib/is-object';
import { claudeProjectId } from './claude-projects.ts';
import { addTo, type LeftOut, type ReadConversation } from './conversation.ts';
import { idIn, joinTexts, listIn, modelIn, objectIn, textIn, timeIn, titleIn } from './fields.ts';
import { finished } from './finished.ts';
import type { TreeNode } from './tree.ts';

export const isClaude = (value: JsonObject) => Array.isArray(value.chat_messages);

type Content = { text: string; reasoning: string; steps: number };

/** The blocks of a message. Older exports have only its text. */
function contentOf(message: JsonObject): Content {
  const texts: string[] = [];
  const thoughts: string[] = [];
  let steps = 0;
  for (const block of listIn(message.content).filter(isObject)) {
    if (block.type === 'text') texts.push(textIn(block.text));
    else if (block.type === 'thinking') thoughts.push(textIn(block.thinking));
    else if (block.type === 'tool_use') steps++;
  }
  const text = joinTexts(texts);
  return { text: text === '' ? textIn(message.text) : text, reasoning: joinTexts(thoughts), steps };
}

/** Texts that were pasted, or read out of a document, are part of the export; other files are not. */
function attachmentsOf(message: JsonObject): { texts: string[]; files: number } {
  const attachments = listIn(message.attachments).map(objectIn);
  const texts = attachments.flatMap(({ file_name, extracted_content }) => {
    const text = textIn(extracted_content);
    const name = titleIn(file_name);
    return text.trim() === '' ? [] : [name === null ? text : `${name}:\n\n${text}`];
  });
  const named = new Set(
    [...listIn(message.files), ...listIn(message.files_v2)].map((file, at) => {
      const { file_uuid, file_name } = objectIn(file);
      return idIn(file_uuid) ?? idIn(file_name) ?? `file ${at}`;
    }),
  );
  return { texts, files: attachments.length - texts.length + named.size };
}

function shownOf(message: JsonObject, model: string | null, leftOut: LeftOut): TreeNode['shown'] {
  const role = message.sender === 'human' || message.sender === 'user' ? 'user' : message.sender;
  const { text, reasoning, steps } = contentOf(message);
  const { texts, files } = attachmentsOf(message);
  addTo(leftOut, 'files', files);
  addTo(leftOut, 'tool_steps', steps);
  if (role !== 'user' && role !== 'assistant') {
    if (text !== '') addTo(leftOut, 'system_messages');
    return null;
  }
  const whole = joinTexts([text, ...texts]);
  if (whole === '' && files === 0 && reasoning === '') return null;
  return {
    role,
    text: whole,
    reasoning,
    model: role === 'assistant' ? (modelIn(message.model) ?? model) : null,
    createdAt: timeIn(message.created_at),
    files: [],
    rating: null,
  };
}

/** One element of `conversations.json`. */
export function readClaude(value: JsonObject): ReadConversation {
  const leftOut: LeftOut = {};
  const messages = listIn(value.chat_messages).filter(isObject);
  // Older exports are a list without branches.
  const hasParents = messages.some(({ parent_message_uuid }) => idIn(parent_message_uuid) !== null);
  const ids = messages.map(({ uuid }, at) => idIn(uuid) ?? `message ${at}`);
  const nodes = messages.map(
    (message, at): TreeNode => ({
      id: ids[at] ?? '',
      parent: hasParents ? idIn(message.parent_message_uuid) : (ids[at - 1] ?? null),
      shown: shownOf(message, modelIn(value.model), leftOut),
    }),
  );
  const project = claudeProjectId(value.project_uuid) ?? claudeProjectId(objectIn(value.project).uuid);
  return finished('claude', nodes, leftOut, {
    id: idIn(value.uuid),
    title: titleIn(value.name),
    createdAt: timeIn(value.created_at),
    updatedAt: timeIn(value.updated_at),
    archived: false,
    pinned: value.is_starred === true,
    head: idIn(value.current_leaf_message_uuid),
    ...(project !== null && { place: { project, assistant: null, model: null } }),
  });
}
