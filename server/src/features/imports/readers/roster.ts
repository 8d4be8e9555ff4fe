import { DisplayedToolCall, EndedEarly, Summary } from '@roster/contracts/chat';
import { RunError } from '@roster/contracts/errors';
import { PlacedLink } from '@roster/contracts/text/web-links';
import type { ImportedAnswer, ImportedMessage } from '#server/conversation/imported';
import { isObject, type JsonObject } from '#server/lib/is-object';
import type { Assets } from './assets.ts';
import { addTo, type LeftOut, type ReadConversation } from './conversation.ts';
import { chosenModelIn, cleanText, idIn, listIn, modelIn, objectIn, textIn, timeIn, titleIn } from './fields.ts';
import { finished } from './finished.ts';
import type { TreeNode } from './tree.ts';

/** Ids of imported assistants and projects, by their numbers in the export. */
export type RosterIds = { assistants: ReadonlyMap<string, string>; projects: ReadonlyMap<string, string> };
/** Parts of an account export that all its conversations share. */
export type RosterContext = { assets: Assets; ids: RosterIds };
export const noIds: RosterIds = { assistants: new Map(), projects: new Map() };

export const isRoster = (value: JsonObject) => value.format === 'roster.conversation';

function ratingOf(rating: unknown): ImportedMessage['rating'] {
  if (!isObject(rating)) return null;
  const value = rating.value === 'good' || rating.value === 'bad' ? rating.value : null;
  const correction = textIn(rating.correction) || null;
  return value === null && correction === null ? null : { value, correction };
}

const finalStates = ['complete', 'stopped', 'failed', 'interrupted'] as const;
const Call = DisplayedToolCall.omit({ callId: true });
/** Calls that had ended when the export was made. */
const endedStates = ['done', 'failed', 'denied', 'uncertain'];

function callsOf(message: JsonObject, text: string, leftOut: LeftOut): ImportedAnswer['calls'] {
  const given = listIn(message.calls);
  const calls = given.flatMap((call) => {
    const { data } = Call.safeParse(call);
    if (!data || !endedStates.includes(data.state)) return [];
    const { name, title, server, tool = null, input, output } = data;
    return [
      {
        ...data,
        ...{ name: cleanText(name), title: cleanText(title), input: cleanText(input) },
        ...{ server: server && cleanText(server), tool: tool && cleanText(tool), output: output && cleanText(output) },
        at: Math.max(0, Math.min(text.length, data.at)),
      },
    ];
  });
  addTo(leftOut, 'tool_steps', given.length - calls.length);
  return calls.sort((a, b) => a.at - b.at);
}

const textsIn = (value: unknown) => listIn(value).flatMap((one) => (typeof one === 'string' ? [cleanText(one)] : []));

function answerOf(message: JsonObject, ids: RosterIds, leftOut: LeftOut): ImportedAnswer {
  const { assistantId, version } = objectIn(message.answeredBy);
  const assistant = ids.assistants.get(idIn(assistantId) ?? '');
  const { thoughtMs } = message;
  return {
    // An answer that was being written when the export was made ends with the text it had.
    state: finalStates.find((state) => state === message.state) ?? 'interrupted',
    error: RunError.safeParse(message.error).data ?? null,
    notes: textsIn(message.notes),
    sources: textsIn(message.sources),
    links: listIn(message.links).flatMap((link) => PlacedLink.safeParse(link).data ?? []),
    endedEarly: EndedEarly.safeParse(message.endedEarly).data ?? null,
    thoughtMs: typeof thoughtMs === 'number' && Number.isInteger(thoughtMs) && thoughtMs >= 0 ? thoughtMs : null,
    finishedAt: timeIn(message.finishedAt),
    calls: callsOf(message, textIn(message.text), leftOut),
    by: assistant !== undefined && typeof version === 'number' ? { assistant, version } : null,
  };
}

/** One that was being written is left out, like the request for it. */
function summaryOf(message: JsonObject): { summary?: Summary } {
  const { data } = Summary.safeParse(message.summary);
  if (!data || data.state === 'writing') return {};
  const { text, error, model } = data;
  return { summary: { ...data, text: cleanText(text), error: error && cleanText(error), model: cleanText(model) } };
}

function shownOf(message: JsonObject, { assets, ids }: RosterContext, leftOut: LeftOut): TreeNode['shown'] {
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
  const [text, reasoning] = [textIn(message.text), textIn(message.reasoning)];
  if (role !== 'user' && role !== 'assistant') return null;
  const isEmpty = text.trim() === '' && reasoning === '';
  const answer = role === 'assistant' && !(isEmpty && missing > 0) ? answerOf(message, ids, leftOut) : undefined;
  const isKept = answer !== undefined && (answer.calls.length > 0 || answer.state !== 'complete');
  if (isEmpty && references.length + missing === 0 && !isKept) return null;
  return {
    role,
    text,
    ...(answer && { answer }),
    ...summaryOf(message),
    reasoning,
    model: role === 'assistant' ? modelIn(message.model) : null,
    createdAt: timeIn(message.createdAt),
    files,
    rating: role === 'assistant' ? ratingOf(message.rating) : null,
  };
}

/** A file of `conversations/` in an account export, or the download of one conversation. */
export function readRoster(value: JsonObject, file: string, context: RosterContext): ReadConversation {
  const leftOut: LeftOut = {};
  const thread = objectIn(value.thread);
  const messages = listIn(value.messages).filter(isObject);
  const nodes = messages.map(
    (message, at): TreeNode => ({
      id: idIn(message.id) ?? `message ${at}`,
      parent: idIn(message.parentId),
      shown: shownOf(message, context, leftOut),
    }),
  );
  const createdAt = timeIn(thread.createdAt);
  return finished('roster', nodes, leftOut, {
    // Numbers repeat in other installations; together with the time they do not.
    id: createdAt === null ? null : `${createdAt} ${idIn(objectIn(messages[0]).id) ?? file}`,
    place: {
      project: context.ids.projects.get(idIn(thread.projectId) ?? '') ?? null,
      assistant: context.ids.assistants.get(idIn(thread.assistantId) ?? '') ?? null,
      model: chosenModelIn(thread.model),
    },
    title: titleIn(thread.title),
    createdAt,
    updatedAt: timeIn(thread.updatedAt),
    archived: thread.archived === true,
    pinned: thread.pinned === true,
    head: idIn(thread.head),
  });
}
