import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { isObject } from '#server/lib/is-object';
import { activitiesOf } from './activity-page.ts';
import { type ArchiveEntry, openArchive } from './archive.ts';
import {
  type Assets,
  assetsBeside,
  baseName,
  chatGptAssets,
  isAssetNames,
  isRosterFiles,
  noAssets,
  rosterAssets,
} from './assets.ts';
import { type ChatGptContext, isChatGpt, type Ratings, ratingIn, readChatGpt } from './chatgpt.ts';
import { isClaude, readClaude } from './claude.ts';
import { claudeProjects, isClaudeProjects } from './claude-projects.ts';
import { notAnExport, type ReadConversation, UnreadableExportError } from './conversation.ts';
import { createGeminiReader, isActivity } from './gemini.ts';
import { brokenValue, damaged, jsonValues } from './json-values.ts';
import { isLibreChat, readLibreChat } from './librechat.ts';
import { isOpenWebUi, readOpenWebUi } from './open-webui.ts';
import { isRoster, noIds, type RosterContext, readRoster } from './roster.ts';
import { isAccountPart, type RosterAccount, readAccount } from './roster-account.ts';

const conversationsLimit = 200_000;
const ratingsLimit = 200_000;

/** macOS adds these to archives. */
const isJunk = (name: string) => name.includes('__MACOSX/') || baseName(name).startsWith('._');
const isRatings = (name: string) => baseName(name) === 'message_feedback.json';
const isConversations = (name: string) =>
  /^conversations(-\d+)?\.json$/.test(baseName(name)) || /(^|\/)conversations\/[^/]+\.json$/.test(name);
const isJson = (name: string) => /\.json$/i.test(name);
/** Google's lists of activities are in folders like `My Activity/Gemini Apps`, in the language of the account. */
const isOfGemini = (name: string) => /(^|\/)[^/]*(Gemini|Bard)[^/]+\/[^/]+\.(json|html?)$/.test(name);
const isPage = (name: string) => /\.html?$/i.test(name);
/** Files that describe others. */
const isAside = (name: string) =>
  isRatings(name) || isAssetNames(name) || isRosterFiles(name) || isAccountPart(name) || isClaudeProjects(name);

/** Parts of the export that all conversations share. */
type Context = ChatGptContext & { roster: RosterContext; filesBeside: Assets };

type FoundFile = { entry: ArchiveEntry; context: Context };

/** Reads the values of one file. */
function createReader(file: string, context: Context) {
  const gemini = createGeminiReader();
  const readOne = (value: unknown): ReadConversation | undefined => {
    if (!isObject(value)) return undefined;
    if (isRoster(value)) return readRoster(value, file, context.roster);
    if (isChatGpt(value)) return readChatGpt(value, context);
    if (isClaude(value)) return readClaude(value);
    if (isLibreChat(value)) return readLibreChat(value);
    return isOpenWebUi(value) ? readOpenWebUi(value) : undefined;
  };
  return {
    *read(value: unknown): Generator<ReadConversation | undefined> {
      if (isObject(value) && isActivity(value)) yield* gemini.read(value, context.filesBeside);
      else yield readOne(value);
    },
    rest: gemini.rest,
  };
}

/** Some exports put the list of conversations into an object. */
const unwrapped = (value: unknown): unknown[] =>
  isObject(value) && Array.isArray(value.conversations) ? value.conversations : [value];

async function startsWith(path: string, text: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    const start = buffer.toString('latin1', 0, bytesRead);
    return start.startsWith(text) || start.replace(/^\u00ef\u00bb\u00bf|\s+/g, '').startsWith(text);
  } finally {
    await file.close();
  }
}

export const isZip = (path: string) => startsWith(path, 'PK\x03\x04');

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
async function* filesOf(
  path: string,
  conversations: ReadonlyMap<string, string>,
): AsyncGenerator<FoundFile | ReadConversation> {
  if (!(await isZip(path))) {
    const name = (await startsWith(path, '<')) ? 'page.html' : '';
    const entry = { name, size: 0, read: () => createReadStream(path) };
    const none = { assets: noAssets, roster: { assets: noAssets, ids: noIds }, filesBeside: noAssets };
    yield { entry, context: { ...none, ratings: new Map() } };
    return;
  }
  const archive = await openArchive(
    path,
    (name) => (isJson(name) || isAside(name) || isOfGemini(name)) && !isJunk(name),
  );
  try {
    const { entries, others } = archive;
    const named = (is: (name: string) => boolean) => entries.filter(({ name }) => is(name));
    const rosterFiles = await rosterAssets([...others, ...entries], named(isRosterFiles));
    const account = await readAccount(named(isAccountPart), rosterFiles);
    const context = {
      ratings: await ratingsIn(named(isRatings)),
      assets: await chatGptAssets([...others, ...entries], named(isAssetNames)),
      roster: { assets: rosterFiles, ids: account?.ids ?? noIds },
    };
    yield* account ? account.before() : claudeProjects(named(isClaudeProjects));
    const usual = named((name) => isConversations(name) || isOfGemini(name));
    for (const entry of usual.length > 0 || account ? usual : named((name) => !isAside(name)))
      yield { entry, context: { ...context, filesBeside: assetsBeside(entry.name, others) } };
    if (account) yield* after(account, conversations);
  } finally {
    archive.close();
  }
}

async function* after(account: RosterAccount, conversations: ReadonlyMap<string, string>) {
  yield* account.after(conversations);
  yield await account.left();
}

/** undefined: an entry in a form that is not known. */
async function* readFile({ entry, context }: FoundFile, onBroken: () => void) {
  const reader = createReader(entry.name, context);
  for await (const value of isPage(entry.name) ? activitiesOf(entry.read()) : jsonValues(entry.read())) {
    if (value === brokenValue) onBroken();
    for (const one of unwrapped(value)) yield* reader.read(one);
  }
  yield* reader.rest();
}

/**
 * The conversations of an export, one after the other, in the order of the file. Only one is in memory at a time.
 * @throws UnreadableExportError
 */
export async function* readExport(path: string): AsyncGenerator<ReadConversation> {
  let [found, unreadable] = [0, 0];
  const counted = (read: ReadConversation | undefined): ReadConversation => {
    if (read) found++;
    else unreadable++;
    if (found > conversationsLimit)
      throw new UnreadableExportError(`The export has more than ${conversationsLimit} conversations.`);
    return read ?? { conversation: null, leftOut: { unreadable_conversations: 1 } };
  };
  let isBroken = false;
  /** Ids of Roster's conversations by the name of their file, for what refers to them. */
  const conversations = new Map<string, string>();
  for await (const file of filesOf(path, conversations)) {
    if (!('entry' in file)) {
      yield counted(file);
      continue;
    }
    const onBroken = () => {
      isBroken = true;
    };
    for await (const read of readFile(file, onBroken)) {
      const { source, sourceId } = read?.conversation ?? {};
      if (source === 'roster' && sourceId !== undefined) conversations.set(baseName(file.entry.name), sourceId);
      yield counted(read);
    }
  }
  if (found > 0) return;
  if (isBroken) throw damaged();
  throw unreadable === 0 ? new UnreadableExportError('The export contains no conversations.') : notAnExport();
}
