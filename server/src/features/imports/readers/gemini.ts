import type { ImportedMessage } from '#server/conversation/imported';
import { isObject, type JsonObject } from '#server/lib/is-object';
import type { Assets, Reference } from './assets.ts';
import { addTo, type LeftOut, type ReadConversation } from './conversation.ts';
import { cleanText, idIn, listIn, objectIn, textIn, timeIn } from './fields.ts';
import { finished } from './finished.ts';
import { markdownOf } from './html-text.ts';
import type { TreeNode } from './tree.ts';

/** An entry of a Google account's activity, of whatever product. */
export const isActivity = (value: JsonObject) =>
  typeof value.header === 'string' && typeof value.title === 'string' && Array.isArray(value.products);

/** Gemini was called Bard until 2024. */
const isOfGemini = ({ header, products }: JsonObject) =>
  [header, ...listIn(products)].some((name) => /\b(Gemini|Bard)\b/.test(textIn(name)));

const prompted = /^Prompted\s+/;

/** Files, which lie beside the list of activities. */
function referencesIn({ imageFile, attachedFiles, subtitles }: JsonObject): Reference[] {
  const names = new Map(
    listIn(subtitles)
      .map(objectIn)
      .map(({ name, url }) => [textIn(url), textIn(name).replace(/^-\s*/, '')]),
  );
  const found = [imageFile, ...(Array.isArray(attachedFiles) ? attachedFiles : [attachedFiles])].flatMap(
    (file) => idIn(isObject(file) ? (file.name ?? file.url) : file) ?? [],
  );
  return [...new Set(found)].map((id) => ({ id, filename: names.get(id) || null, isGenerated: false }));
}

type Exchange = { question: ImportedMessage | null; answers: ImportedMessage[]; thread: string | null };

/** A question with its answers: one more for each time it was answered again. */
function exchangeIn(value: JsonObject, assets: Assets, leftOut: LeftOut): Exchange | null {
  const title = textIn(value.title);
  const answers = listIn(value.safeHtmlItem)
    .map((item) => markdownOf(textIn(objectIn(item).html)))
    .filter((text) => text !== '');
  if (answers.length === 0 && !prompted.test(title)) return null;
  const createdAt = timeIn(value.time);
  const common = { parent: null, reasoning: '', model: null, createdAt, rating: null };
  const text = cleanText(title.replace(prompted, '')).trim();
  const files = assets.take(referencesIn(value), leftOut);
  const id = `${createdAt ?? 'undated'}`;
  const question =
    text === '' && files.length === 0 ? null : { ...common, sourceId: `${id} q`, role: 'user' as const, text, files };
  const [, thread = null] = /gemini\.google\.com\/app\/([0-9a-z_-]+)/i.exec(textIn(value.titleUrl)) ?? [];
  return {
    question,
    answers: answers.map((answer, at) => ({
      ...common,
      sourceId: `${id} a${at}`,
      parent: question?.sourceId ?? null,
      role: 'assistant' as const,
      text: cleanText(answer),
      files: [],
    })),
    thread,
  };
}

const toNode = ({ sourceId, parent, ...shown }: ImportedMessage): TreeNode => ({ id: sourceId, parent, shown });

/** Exchanges of one conversation, or a single one, with the earliest first. */
function conversationOf(id: string | null, exchanges: Exchange[], leftOut: LeftOut): ReadConversation {
  const timeOf = ({ question, answers }: Exchange) => (question ?? answers[0])?.createdAt ?? '';
  const ordered = exchanges.toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
  let last: string | null = null;
  const nodes: TreeNode[] = [];
  for (const { question, answers } of ordered) {
    const messages = question ? [question, ...answers] : answers;
    nodes.push(...messages.map((message) => toNode({ ...message, parent: message.parent ?? last })));
    last = messages.at(-1)?.sourceId ?? last;
  }
  const fields = { id, title: null, createdAt: null, updatedAt: null, archived: false, pinned: false, head: last };
  return finished('gemini', nodes, leftOut, fields);
}

const nothing: ReadConversation = { conversation: null, leftOut: {} };
/** Characters of conversations with several entries that are held back until their file ends. */
const heldLimit = 32 * 1024 * 1024;

/**
 * Activities of Gemini as conversations. Google writes no conversations, so each entry becomes one, apart from entries
 * whose address names the same conversation.
 */
export function createGeminiReader() {
  const threads = new Map<string, Exchange[]>();
  let held = 0;

  function* flush(): Generator<ReadConversation> {
    for (const [thread, exchanges] of threads) yield conversationOf(thread, exchanges, {});
    threads.clear();
    held = 0;
  }

  return {
    *read(value: JsonObject, assets: Assets): Generator<ReadConversation> {
      if (!isOfGemini(value)) return yield nothing;
      const leftOut: LeftOut = {};
      const exchange = exchangeIn(value, assets, leftOut);
      if (!exchange) {
        addTo(leftOut, 'other_activities');
        return yield { conversation: null, leftOut };
      }
      const { thread, question, answers } = exchange;
      if (thread === null) return yield conversationOf(null, [exchange], leftOut);
      threads.set(thread, [...(threads.get(thread) ?? []), exchange]);
      held += [question, ...answers].reduce((sum, message) => sum + (message?.text.length ?? 0), 0);
      yield { conversation: null, leftOut };
      if (held > heldLimit) yield* flush();
    },
    /** The conversations with several entries, once their file has ended. */
    rest: flush,
  };
}
