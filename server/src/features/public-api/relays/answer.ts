import { once } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toConnectionError, tooLarge } from '#server/features/public-api/shared/read-response-body';
import type { JsonObject } from '#server/lib/is-object';
import type { TokenCounts } from '#server/provider/catalogue/catalogue';
import type { RelayedResponse } from '#server/provider/relay';
import { findTier, findUsageOfInput } from '#server/provider/token-counts';
import { ProviderError } from '#server/provider/transport/error';
import { isErrorValue } from '#server/provider/transport/error-fields';
import { eventJson, notAnAnswer } from '#server/provider/transport/event-reader';
import { toStreamError } from '#server/provider/transport/failures';
import { createKeyDetector, maskKey, maskKeyInChat } from '#server/provider/transport/masking';
import type { Secret } from '#server/security/secret';
import type { RelayKind } from './kinds.ts';

/** The JSON object that begins at `start`; undefined if it does not end in this text. */
function objectAt(text: string, start: number): unknown {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) {
      try {
        return JSON.parse(text.slice(start, at + 1));
      } catch {
        return undefined;
      }
    }
  }
  return undefined;
}

/** The usage in a piece of an answer that is too long to be parsed as a whole. */
function usageInText(text: string): TokenCounts | null {
  for (const { 0: name, index } of text.matchAll(/"usage"\s*:\s*(?=\{)/g)) {
    const usage = findUsageOfInput({ usage: objectAt(text, index + name.length) });
    if (usage) return usage;
  }
  return null;
}

/** The figures that an answer states; nothing is made up. */
export type RelayOutcome = {
  usage: TokenCounts | null;
  tier: string | null;
  /** Estimate of the tokens of a text. */
  events: number;
  model?: string | undefined;
};

const mebibyte = 1024 * 1024;
/** An answer up to this length is examined before the client gets any of it. */
const examinedBytes = mebibyte;
/** Two thousand embeddings in decimal digits, or ten large images, have about half of it. */
const longestBytes = 256 * mebibyte;
/** Bytes at the end of a long answer in which its usage is looked for. */
const tailBytes = 64 * 1024;
/** Longer than a key in any of its forms. */
const keyBytes = 4 * 1024;
const json = 'application/json';

const isJson = (started: Buffer) => /^\uFEFF?\s*[[{]/.test(started.subarray(0, 200).toString());

type Beginning = { started: Buffer; rest: AsyncIterator<Buffer> | null };

/** Reads until there is more than `limit`, or the end. @throws ProviderError, or the signal's reason */
async function readBeginning({ body }: RelayedResponse, limit: number, signal: AbortSignal): Promise<Beginning> {
  const chunks = body[Symbol.asyncIterator]();
  const started: Buffer[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await chunks.next();
      if (done) return { started: Buffer.concat(started), rest: null };
      started.push(value);
      size += value.length;
      if (size > limit) return { started: Buffer.concat(started), rest: chunks };
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : toConnectionError(error);
  }
}

const statedModel = ({ model }: JsonObject) =>
  typeof model === 'string' && model !== '' ? model.slice(0, 200) : undefined;

/** Reads what a whole answer says. @throws ProviderError if it is none */
function examine(whole: Buffer, contentType: string, kind: RelayKind, apiKey: Secret): RelayOutcome {
  const unknown = { usage: null, tier: null, events: 0 };
  if (whole.length === 0 || /text\/html/i.test(contentType)) throw notAnAnswer();
  if (!isJson(whole)) {
    if (kind.maybeText || (kind.isBinary && !/json/i.test(contentType))) return unknown;
    throw notAnAnswer();
  }
  const answer = eventJson(whole.toString());
  if (!kind.answers.some((field) => answer[field] !== undefined) && isErrorValue(answer))
    throw toStreamError(answer, apiKey);
  const events = kind.writesText ? Math.ceil(whole.length / 4) : 0;
  return { usage: findUsageOfInput(answer), tier: findTier(answer), events, model: statedModel(answer) };
}

function masked(whole: Buffer, apiKey: Secret): Buffer {
  if (!createKeyDetector(apiKey)(whole)) return whole;
  const text = whole.toString();
  return Buffer.from(isJson(whole) ? maskKeyInChat(text, apiKey) : maskKey(text, apiKey));
}

/** Checks the pieces of a long answer as they pass, and looks for its usage. */
function createInspector(apiKey: Secret) {
  const holdsKey = createKeyDetector(apiKey);
  let size = 0;
  let tail: Buffer = Buffer.alloc(0);
  let usage: TokenCounts | null = null;
  return {
    /** @throws ProviderError if it must not be passed on */
    pass(chunk: Buffer) {
      if (size === 0) usage = usageInText(chunk.subarray(0, tailBytes).toString('latin1'));
      size += chunk.length;
      if (size > longestBytes) throw tooLarge();
      const seen = Buffer.concat([tail.subarray(-keyBytes), chunk]);
      if (holdsKey(seen) && maskKey(seen.toString(), apiKey) !== seen.toString()) throw notAnAnswer();
      tail = chunk.length >= tailBytes ? chunk.subarray(-tailBytes) : Buffer.concat([tail, chunk]).subarray(-tailBytes);
    },
    usage: () => usage ?? usageInText(tail.toString('latin1')),
    endsAsJson: () => /[\]}]\s*$/.test(tail.subarray(-200).toString('latin1')),
  };
}

type Passing = {
  request: FastifyRequest;
  reply: FastifyReply;
  relayed: RelayedResponse;
  kind: RelayKind;
  signal: AbortSignal;
  end: (outcome: RelayOutcome) => Promise<void>;
};

function beginReply(reply: FastifyReply, type: string) {
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.setHeader('content-type', type);
  return raw;
}

/**
 * Passes a long answer on as it arrives. A failure can no longer be reported in it: the connection is closed, which
 * clients notice.
 */
async function passOnLong({ request, reply, relayed, kind, signal, end }: Passing, { started, rest }: Beginning) {
  const { contentType, apiKey, body } = relayed;
  const endsAsJson = isJson(started) && !kind.isBinary;
  if (!endsAsJson && !kind.isBinary && !kind.maybeText) {
    body.destroy();
    throw notAnAnswer();
  }
  const inspector = createInspector(apiKey);
  inspector.pass(started);
  const raw = beginReply(reply, contentType || (kind.isBinary ? 'application/octet-stream' : json));
  const outcome = () => ({ usage: inspector.usage(), tier: null, events: 0 });
  try {
    for (let chunk: Buffer | undefined = started; chunk; ) {
      if (!raw.write(chunk)) await once(raw, 'drain', { signal });
      const next: IteratorResult<Buffer> | undefined = await rest?.next();
      chunk = next === undefined || next.done ? undefined : next.value;
      if (chunk) inspector.pass(chunk);
    }
    if (endsAsJson && !inspector.endsAsJson())
      throw new ProviderError('provider_broke_off', 'The answer is incomplete.');
  } catch (err) {
    body.destroy();
    request.log.info(
      { event: 'api_call_failed', err: signal.aborted ? signal.reason : err },
      'a long answer broke off',
    );
    raw.destroy();
    return end(outcome());
  }
  // The headers are sent: nothing but the log can tell that this failed.
  await end(outcome()).catch((err: unknown) => request.log.error({ err }, 'could not record the cost of a call'));
  raw.end();
}

/** Passes an answer on that is no stream of events. @throws ProviderError before any of it is sent */
export async function passOn(passing: Passing): Promise<void> {
  const { reply, relayed, kind, signal, end } = passing;
  const { contentType, apiKey } = relayed;
  const isSound = kind.isBinary === true && !/json|^text\//i.test(contentType);
  const read = await readBeginning(relayed, isSound ? 0 : examinedBytes, signal);
  if (read.rest) return passOnLong(passing, read);
  await end(examine(read.started, contentType, kind, apiKey));
  await reply
    .status(200)
    .type(contentType || json)
    .send(masked(read.started, apiKey));
}
