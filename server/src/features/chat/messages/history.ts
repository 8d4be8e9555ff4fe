import { attachedBytesLimit } from '@roster/contracts/chat';
import { codeFilesOf, fileIdsOf, imageUrlsOf, partTexts, readContent } from '#server/conversation/content';
import { estimateFileTokens, estimateTokens, imageTokens } from '#server/conversation/token-estimate';
import type { AttachmentReader } from '#server/features/chat/shared/attachments';
import type { BranchRange, BranchRepository } from '#server/features/chat/shared/branch-repository';
import type { HistoryLimits } from '#server/features/chat/shared/chat-target';
import type { MessageFileRepository, StoredAttachment } from '#server/features/chat/shared/message-file-repository';
import type { ToolCallRepository } from '#server/features/chat/shared/tool-call-repository';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { codeInterpreterFiles } from '#server/provider/content-parts';
import type { ConversationTurn, TurnFile } from '#server/provider/provider';

const turnsAtOnce = 200;
/** Tokens reserved for the answer; at most a quarter of the context. */
const answerTokens = 16_000;
/**
 * Assumed context if the model's is unknown. If the provider rejects the request as too long, the run retries with
 * half.
 */
const tokensWhereUnknown = 1_000_000;

/** The turns for the provider, and what they leave out. */
type History = {
  turns: ConversationTurn[];
  leftOut: number;
  filesLeftOut: number;
  /** Estimated; used if the provider reports no usage. */
  fileTokens: number;
};

/** A message with content parts: its attachments, then the parts in order. */
function partsOf({ text, content }: { text: string; content: string | null }, files: TurnFile[]) {
  const stored = readContent(content);
  const { parts } = stored;
  if (!parts) return undefined;
  const fileIds = fileIdsOf(stored);
  const texts = partTexts(parts, text);
  const inParts = new Set(parts.flatMap((part) => (part.type === 'image_file' ? part.fileId : [])));
  const attached = files.filter((_, index) => !inParts.has(fileIds[index] ?? 0));
  const inOrder = parts.map((part, index) => {
    if (part.type === 'image_url') return { url: part.url, detail: part.detail };
    const file = part.type === 'image_file' ? files[fileIds.indexOf(part.fileId)] : undefined;
    return file && part.type === 'image_file' ? { ...file, detail: part.detail } : (texts[index] ?? '');
  });
  return [...attached, ...inOrder];
}

const summaryHeading = 'Summary of the earlier messages of this conversation:';

type Reading = {
  branches: Pick<BranchRepository, 'words'>;
  messageFiles: MessageFileRepository;
  attachments: AttachmentReader;
  catalogue: Catalogue;
  toolCalls: Pick<ToolCallRepository, 'ofMessages' | 'echoes'>;
};

const unlimited: HistoryLimits = { lastMessages: null, tokens: null };

type AnsweredCall = NonNullable<ConversationTurn['calls']>[number];
/** The calls at one position of an answer's text, in characters. */
type CallsAt = { at: number; calls: AnsweredCall[] };

/**
 * Answered calls of connected tools and client functions by answer, in text order. Positions with an unanswered call
 * are omitted, because providers reject them.
 */
async function answeredCalls(
  toolCalls: Reading['toolCalls'],
  userId: number,
  messageIds: number[],
): Promise<Map<number, CallsAt[]>> {
  const all = (await toolCalls.ofMessages(userId, messageIds)).filter(
    ({ kind }) => kind === 'function' || kind === 'server',
  );
  const answered = new Map<number, CallsAt[]>();
  if (all.length === 0) return answered;
  const echoes = new Map(
    (await toolCalls.echoes(userId, messageIds)).map(({ runId, callId, echo }) => [`${runId} ${callId}`, echo]),
  );
  for (const [messageId, ofMessage] of Map.groupBy(all, (call) => call.messageId)) {
    const places: CallsAt[] = [];
    for (const [at, here] of Map.groupBy(ofMessage, (call) => call.at)) {
      const calls = here.flatMap(({ runId, callId, name, input, output }) => {
        const echo = echoes.get(`${runId} ${callId}`);
        return output === null ? [] : [{ callId, name, input, output, ...(echo && { echo }) }];
      });
      if (calls.length === here.length) places.push({ at, calls });
    }
    if (places.length > 0) answered.set(messageId, places);
  }
  return answered;
}

type PieceTurn = Pick<ConversationTurn, 'role' | 'text'> & { content: string | null; called: CallsAt[] };

/** Turns for the provider. An answer is split where the model called a tool and waited for the output. */
function turnsOf({ role, text, content, called }: PieceTurn, files: TurnFile[]): ConversationTurn[] {
  const parts = partsOf({ text, content }, files);
  const turns: ConversationTurn[] = [];
  let from = 0;
  // A message with content parts is not split.
  for (const { at, calls } of parts ? called.slice(0, 0) : called) {
    turns.push({ role, text: text.slice(from, at), calls });
    from = at;
  }
  const rest = text.slice(from);
  if (rest === '' && !parts) return turns;
  const whole = parts ? called.flatMap(({ calls }) => calls) : [];
  const last = { role, text: rest, ...(files.length > 0 && { files }), ...(parts && { parts }) };
  return [...turns, whole.length > 0 ? { ...last, calls: whole } : last];
}

/** A part of a branch, with attachments and tool calls. */
async function readPiece({ branches, messageFiles, toolCalls }: Reading, userId: number, range: BranchRange) {
  const piece = await branches.words(userId, range);
  const files = await messageFiles.of(
    userId,
    piece.filter(({ role }) => role === 'user').map(({ id }) => id),
  );
  const called = piece.flatMap(({ id, hasCalls }) => (hasCalls === 1 ? [id] : []));
  const answered = await answeredCalls(toolCalls, userId, called);
  return piece.map(({ id, role, text, content, summary }) => ({
    id,
    summary,
    role,
    text,
    content,
    kept: files.get(id) ?? [],
    called: answered.get(id) ?? [],
  }));
}

const tokensOf = (called: CallsAt[]) =>
  called
    .flatMap(({ calls }) => calls)
    .reduce((sum, { input, output }) => sum + estimateTokens(input) + estimateTokens(output), 0);

/**
 * Two messages of the user in a row are refused by some providers, so the summary begins the oldest question. False if
 * there is no summary.
 */
function startWithSummary(
  newestFirst: ConversationTurn[],
  { id, summary }: { id: number; summary: string | null },
  head: number,
): boolean {
  if (summary === null || id === head) return false;
  const text = `${summaryHeading}\n\n${summary}`;
  const oldest = newestFirst.at(-1);
  if (oldest?.role !== 'user') {
    newestFirst.push({ role: 'user', text });
    return true;
  }
  const joined = { ...oldest, text: `${text}\n\n---\n\n${oldest.text}` };
  newestFirst[newestFirst.length - 1] = oldest.parts ? { ...joined, parts: [text, ...oldest.parts] } : joined;
  return true;
}

/**
 * Reads the branch that ends in the question, back to the newest summary, and drops the oldest messages that exceed the model's context. Reads in
 * pieces from the end, so that the cost does not grow with the thread.
 *
 * Long: one walk that counts down several limits.
 */
export async function readHistory(
  reading: Reading,
  question: { userId: number; threadId: number; head: number; depth: number; runsCode: boolean },
  model: string,
  instructions: string,
  { lastMessages, tokens }: HistoryLimits = unlimited,
): Promise<History> {
  const { attachments, catalogue } = reading;
  const context = catalogue.contextTokens(model) ?? tokensWhereUnknown;
  const room = context - Math.min(answerTokens, context / 4);
  let budget = Math.min(room, tokens ?? room) - estimateTokens(instructions);
  let messagesLeft = lastMessages ?? Number.POSITIVE_INFINITY;
  const turns: ConversationTurn[] = [];
  const { userId, threadId, head, runsCode } = question;
  let bytes = attachedBytesLimit;
  let filesLeftOut = 0;
  let fileTokens = 0;
  const history = (leftOut: number) => ({ turns: turns.reverse(), leftOut, filesLeftOut, fileTokens });

  /**
   * Chooses files from the newest on, up to the limit of one request; once a file does not fit, all older ones are
   * dropped.
   */
  function choose(all: StoredAttachment[], content: string | null) {
    const forCode = runsCode ? codeFilesOf(readContent(content)) : new Set<number>();
    const isForCode = ({ fileId }: StoredAttachment) => fileId !== null && forCode.has(fileId);
    const kept = all.filter((file) => !isForCode(file));
    const total = kept.reduce((sum, { fileId, size }) => sum + (fileId === null ? 0 : size), 0);
    bytes -= total;
    const isIn = bytes >= 0;
    if (!isIn && total > 0) {
      filesLeftOut += kept.filter(({ fileId }) => fileId !== null).length;
      bytes = -1;
    }
    const files = all.map((file): TurnFile => {
      const forProvider = attachments.forProvider(userId, isIn ? file : { ...file, fileId: null });
      return isForCode(file) ? { ...forProvider, instead: codeInterpreterFiles(file.filename) } : forProvider;
    });
    const present = isIn ? kept.filter(({ fileId }) => fileId !== null) : [];
    return { files, tokens: present.reduce((sum, file) => sum + estimateFileTokens(file), 0) };
  }

  for (let to = question.depth; to >= 0; to -= turnsAtOnce) {
    const from = Math.max(0, to - turnsAtOnce + 1);
    const piece = await readPiece(reading, userId, { threadId, head, from, to });
    for (const [index, turn] of piece.reverse().entries()) {
      const { kept, called } = turn;
      // The question itself, and an answer that is continued, are always sent.
      if (startWithSummary(turns, turn, head)) return history(0);
      if (turn.text !== '' && messagesLeft-- <= 0) return history(0);
      const leftOutBefore = filesLeftOut;
      const chosen = choose(kept, turn.content);
      chosen.tokens += imageUrlsOf(readContent(turn.content)).length * imageTokens;
      budget -= estimateTokens(turn.text) + chosen.tokens + tokensOf(called);
      // The question itself is always sent; the provider decides whether it fits.
      if (budget < 0 && turns.length > 0) {
        filesLeftOut = leftOutBefore;
        return history(to - index + 1);
      }
      fileTokens += chosen.tokens;
      turns.push(...turnsOf(turn, kept.length > 0 ? chosen.files : []).reverse());
    }
  }
  return history(0);
}
