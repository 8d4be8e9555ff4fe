import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { isObject } from '#server/lib/is-object';
import { type ArchiveEntry, openArchive } from './archive.ts';
import { type Assets, baseName, chatGptAssets, isAssetNames, isRosterFiles, noAssets, rosterAssets } from './assets.ts';
import { type ChatGptContext, isChatGpt, type Ratings, ratingIn, readChatGpt } from './chatgpt.ts';
import { isClaude, readClaude } from './claude.ts';
import { notAnExport, type ReadConversation, UnreadableExportError } from './conversation.ts';
import { jsonValues } from './json-values.ts';
import { isLibreChat, readLibreChat } from './librechat.ts';
import { isOpenWebUi, readOpenWebUi } from './open-webui.ts';
import { isRoster, readRoster } from './roster.ts';

const conversationsLimit = 200_000;
const ratingsLimit = 200_000;

/** macOS adds these to archives. */
const isJunk = (name: string) => name.includes('__MACOSX/') || baseName(name).startsWith('._');
const isRatings = (name: string) => baseName(name) === 'message_feedback.json';
const isConversations = (name: string) =>
  /^conversations(-\d+)?\.json$/.test(baseName(name)) || /(^|\/)conversations\/[^/]+\.json$/.test(name);
const isJson = (name: string) => /\.json$/i.test(name);
/** Files that describe others. */
const isAside = (name: string) => isRatings(name) || isAssetNames(name) || isRosterFiles(name);

/** What belongs to the export as a whole. */
type Context = ChatGptContext & { rosterFiles: Assets };

function readOne(value: unknown, file: string, context: Context): ReadConversation | undefined {
  if (!isObject(value)) return undefined;
  if (isRoster(value)) return readRoster(value, file, context.rosterFiles);
  if (isChatGpt(value)) return readChatGpt(value, context);
  if (isClaude(value)) return readClaude(value);
  if (isLibreChat(value)) return readLibreChat(value);
  return isOpenWebUi(value) ? readOpenWebUi(value) : undefined;
}

/** Some exports put the list of conversations into an object. */
const unwrapped = (value: unknown): unknown[] =>
  isObject(value) && Array.isArray(value.conversations) ? value.conversations : [value];

export async function isZip(path: string) {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.readUInt32BE(0) === 0x504b0304;
  } finally {
    await file.close();
  }
}

async function ratingsIn(entries: ArchiveEntry[]): Promise<Ratings> {
  const ratings = new Map<string, 'good' | 'bad'>();
  for (const entry of entries)
    for await (const value of jsonValues(entry.read())) {
      const [id, rating] = ratingIn(value) ?? ['', null];
      if (rating !== null && ratings.size < ratingsLimit) ratings.set(id, rating);
    }
  return ratings;
}

/** The JSON files of an export with conversations: those with the usual names, otherwise all. */
async function* filesOf(path: string): AsyncGenerator<{ entry: ArchiveEntry; context: Context }> {
  if (!(await isZip(path))) {
    const entry = { name: '', size: 0, read: () => createReadStream(path) };
    yield { entry, context: { ratings: new Map(), assets: noAssets, rosterFiles: noAssets } };
    return;
  }
  const archive = await openArchive(path, (name) => (isJson(name) || isAside(name)) && !isJunk(name));
  try {
    const { entries, others } = archive;
    const named = (is: (name: string) => boolean) => entries.filter(({ name }) => is(name));
    const context = {
      ratings: await ratingsIn(named(isRatings)),
      assets: await chatGptAssets([...others, ...entries], named(isAssetNames)),
      rosterFiles: await rosterAssets([...others, ...entries], named(isRosterFiles)),
    };
    const usual = named(isConversations);
    for (const entry of usual.length > 0 ? usual : named((name) => !isAside(name))) yield { entry, context };
  } finally {
    archive.close();
  }
}

/**
 * The conversations of an export, one after the other, in the order of the file. Only one is in memory at a time.
 * @throws UnreadableExportError
 */
export async function* readExport(path: string): AsyncGenerator<ReadConversation> {
  let [found, unreadable] = [0, 0];
  for await (const { entry, context } of filesOf(path))
    for await (const value of jsonValues(entry.read()))
      for (const one of unwrapped(value)) {
        const read = readOne(one, entry.name, context);
        if (read) found++;
        else unreadable++;
        if (found > conversationsLimit)
          throw new UnreadableExportError(`The export has more than ${conversationsLimit} conversations.`);
        yield read ?? { conversation: null, leftOut: { unreadable_conversations: 1 } };
      }
  if (found === 0 && unreadable === 0) throw new UnreadableExportError('The export contains no conversations.');
  if (found === 0) throw notAnExport();
}
