import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { isObject } from '#server/lib/is-object';
import { type ArchiveEntry, openArchive } from './archive.ts';
import { isChatGpt, type Ratings, ratingIn, readChatGpt } from './chatgpt.ts';
import { isClaude, readClaude } from './claude.ts';
import { notAnExport, type ReadConversation, UnreadableExportError } from './conversation.ts';
import { jsonValues } from './json-values.ts';
import { isLibreChat, readLibreChat } from './librechat.ts';
import { isOpenWebUi, readOpenWebUi } from './open-webui.ts';
import { isRoster, readRoster } from './roster.ts';

const conversationsLimit = 200_000;
const ratingsLimit = 200_000;

const baseName = (name: string) => name.slice(name.lastIndexOf('/') + 1);
/** macOS adds these to archives. */
const isJunk = (name: string) => name.includes('__MACOSX/') || baseName(name).startsWith('._');
const isRatings = (name: string) => baseName(name) === 'message_feedback.json';
const isConversations = (name: string) =>
  /^conversations(-\d+)?\.json$/.test(baseName(name)) || /(^|\/)conversations\/[^/]+\.json$/.test(name);
const isSingleJson = (name: string) => /\.json$/i.test(name);

function readOne(value: unknown, file: string, ratings: Ratings): ReadConversation | undefined {
  if (!isObject(value)) return undefined;
  if (isRoster(value)) return readRoster(value, file);
  if (isChatGpt(value)) return readChatGpt(value, ratings);
  if (isClaude(value)) return readClaude(value);
  if (isLibreChat(value)) return readLibreChat(value);
  return isOpenWebUi(value) ? readOpenWebUi(value) : undefined;
}

/** Some exports put the list of conversations into an object. */
const unwrapped = (value: unknown): unknown[] =>
  isObject(value) && Array.isArray(value.conversations) ? value.conversations : [value];

async function isZip(path: string) {
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
    for await (const value of jsonValues(await entry.read())) {
      const [id, rating] = ratingIn(value) ?? ['', null];
      if (rating !== null && ratings.size < ratingsLimit) ratings.set(id, rating);
    }
  return ratings;
}

/** The JSON files of an export with conversations: those with the usual names, otherwise all. */
async function* filesOf(path: string): AsyncGenerator<{ entry: ArchiveEntry; ratings: Ratings }> {
  if (!(await isZip(path))) {
    const entry = { name: '', read: async () => createReadStream(path) };
    yield { entry, ratings: new Map() };
    return;
  }
  const archive = await openArchive(path, (name) => isSingleJson(name) && !isJunk(name));
  try {
    const usual = archive.entries.filter(({ name }) => isConversations(name));
    const ratings = await ratingsIn(archive.entries.filter(({ name }) => isRatings(name)));
    const entries = usual.length > 0 ? usual : archive.entries.filter(({ name }) => !isRatings(name));
    for (const entry of entries) yield { entry, ratings };
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
  for await (const { entry, ratings } of filesOf(path))
    for await (const value of jsonValues(await entry.read()))
      for (const one of unwrapped(value)) {
        const read = readOne(one, entry.name, ratings);
        if (read) found++;
        else unreadable++;
        if (found > conversationsLimit)
          throw new UnreadableExportError(`The export has more than ${conversationsLimit} conversations.`);
        yield read ?? { conversation: null, leftOut: { unreadable_conversations: 1 } };
      }
  if (found === 0 && unreadable === 0) throw new UnreadableExportError('The export contains no conversations.');
  if (found === 0) throw notAnExport();
}
