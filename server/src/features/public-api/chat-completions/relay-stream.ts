import type { ServerResponse } from 'node:http';
import { toConnectionError, tooLarge } from '#server/features/public-api/shared/read-response-body';
import { createWriter } from '#server/http/streaming/event-stream';
import { isObject, type JsonObject } from '#server/lib/is-object';
import type { TokenCounts } from '#server/provider/catalogue/catalogue';
import type { ToolUse } from '#server/provider/provider';
import type { RelayedResponse } from '#server/provider/relay';
import { findTier, findUsage } from '#server/provider/token-counts';
import { ProviderError } from '#server/provider/transport/error';
import { isErrorValue } from '#server/provider/transport/error-fields';
import { eventJson } from '#server/provider/transport/event-reader';
import { toStreamError } from '#server/provider/transport/failures';
import { createKeyDetector, maskKey, maskKeyInChat } from '#server/provider/transport/masking';
import type { Secret } from '#server/security/secret';

/** The outcome of an answer: reported usage, an estimate of the tokens that arrived, and the tools that ran. */
export type Outcome = {
  usage: TokenCounts | null;
  events: number;
  used: ToolUse[];
  /** Service tier that answered; null if it is the standard one or was not named. */
  tier: string | null;
  failure: unknown;
};

const usualEventBytes = 4 * 1024 * 1024;

const endedEarly = () =>
  new ProviderError('provider_broke_off', 'The provider disconnected before the answer was complete.');
/** Usage and service tier of a whole answer. @throws ProviderError if it is no answer */
export function readCost(whole: Buffer, apiKey: Secret): Pick<Outcome, 'usage' | 'tier'> {
  const answer = eventJson(whole.toString());
  if (!Array.isArray(answer.choices) && isErrorValue(answer)) throw toStreamError(answer, apiKey);
  return { usage: findUsage(answer), tier: findTier(answer) };
}

/** Checks the bytes first: most packets have no usage, or `"usage":null` in every chunk. */
const mayHoldUsage = (bytes: Buffer) => bytes.includes('"usage"') && /"usage"\s*:\s*\{/.test(bytes.toString('latin1'));

/**
 * Every chunk names the tier, so the first one is read. Within an answer's text its quotation marks would be escaped.
 */
function tierOf(events: Buffer): string | null {
  if (!events.includes('"service_tier"')) return null;
  return findTier({ service_tier: /"service_tier"\s*:\s*"([^"]*)"/.exec(events.toString('latin1'))?.[1] });
}

const errorNames = ['"error"', '"errors"', '"detail"', '"message"', '"msg"', '"base_resp"'];
const mayBeError = (bytes: Buffer) => errorNames.some((name) => bytes.includes(name));

/** Offset after the last complete event; 0 if there is none. */
function endOfEvents(bytes: Buffer): number {
  const [plain, carriage] = [bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\r\n\r\n')];
  return Math.max(plain < 0 ? 0 : plain + 2, carriage < 0 ? 0 : carriage + 4);
}

/** Maximum length of an event's terminator. */
const endBytes = 4;
const [lineFeed, carriageReturn] = [10, 13];

/** True if nothing follows the last event. Compares bytes, because nearly every packet is checked. */
function isWhole(bytes: Buffer): boolean {
  const end = bytes.length;
  if (bytes[end - 1] !== lineFeed) return false;
  if (bytes[end - 2] === lineFeed) return true;
  return bytes[end - 2] === carriageReturn && bytes[end - 3] === lineFeed && bytes[end - 4] === carriageReturn;
}

/** Cuts incoming bytes into complete events. The rest is held, and copied only once it is complete. */
function eventCutter() {
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** Last bytes of what is held: a terminator may have started there. */
  let tail: Buffer = Buffer.alloc(0);
  return {
    heldBytes: () => heldBytes,
    held: () => Buffer.concat(held),
    /** Returns all events that are complete by now, or undefined. */
    cut(chunk: Buffer): Buffer | undefined {
      if (heldBytes === 0 && isWhole(chunk)) return chunk;
      const looked = tail.length > 0 ? Buffer.concat([tail, chunk]) : chunk;
      const found = endOfEvents(looked);
      if (found === 0) {
        held.push(chunk);
        heldBytes += chunk.length;
        tail = looked.subarray(1 - endBytes);
        return undefined;
      }
      const end = heldBytes - tail.length + found;
      const all = held.length > 0 ? Buffer.concat([...held, chunk]) : chunk;
      tail = all.subarray(Math.max(end, all.length + 1 - endBytes));
      held = end < all.length ? [all.subarray(end)] : [];
      heldBytes = all.length - end;
      return all.subarray(0, end);
    },
  };
}

function countOf(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf('data:'); at >= 0; at = bytes.indexOf('data:', at + 5)) count++;
  return count;
}

/** Bytes around the words of an event, at most. */
const maxFrame = 600;

/** Estimates the number of tokens without parsing: one per event, or more if events are long. */
function tokenCounter() {
  let events = 0;
  let bytes = 0;
  let frame = maxFrame;
  return {
    add(packet: Buffer) {
      const count = countOf(packet);
      if (count === 0) return;
      events += count;
      bytes += packet.length;
      if (!packet.includes('[DONE]')) frame = Math.min(frame, packet.length / count);
    },
    tokens: () => Math.max(events, Math.round((bytes - events * frame) / 4)),
  };
}

const dataIn = (event: string) =>
  event
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith('data:') ? line.slice(5).trim() : []))
    .join('');

/** The JSON of an event; undefined if it is neither object nor list. */
function valueIn(event: string): unknown {
  const data = dataIn(event);
  if (!/^[{[]/.test(data)) return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

function dataOf(event: string): JsonObject | undefined {
  const value = valueIn(event);
  return isObject(value) ? value : undefined;
}

/** The usage in an event. `isAlone`: the event holds nothing else, even if its usage cannot be read. */
function usageOfEvent(event: string): { usage: TokenCounts | null; isAlone: boolean } | undefined {
  const data = dataOf(event);
  if (!data) return undefined;
  const isAlone = isObject(data.usage) && Array.isArray(data.choices) && data.choices.length === 0;
  return { usage: findUsage(data), isAlone };
}

/** Lines that hold no data hold no model text. */
function eventWithoutKey(event: string, apiKey: Secret): string {
  const data = dataIn(event);
  const safe = maskKeyInChat(data, apiKey);
  let isReported = false;
  const lines = event.split(/(?<=\n)/).map((line) => {
    if (!line.startsWith('data:')) return maskKey(line, apiKey);
    if (safe === data) return line;
    const instead = isReported ? '' : `data: ${safe}${/\r?\n$/.exec(line)?.[0] ?? ''}`;
    isReported = true;
    return instead;
  });
  return lines.join('');
}

const withoutKeyInEvents = (events: Buffer, apiKey: Secret): Buffer =>
  Buffer.from(
    eventsIn(events.toString())
      .map((event) => eventWithoutKey(event, apiKey))
      .join(''),
  );

/** Clients recognize an error by this field, or see it in a choice. */
const isReadableByClients = (value: unknown) =>
  isObject(value) && (Boolean(value.error) || Array.isArray(value.choices));

/** The events before the first failure in a form that no client knows, and that failure. */
function upToFailure(events: Buffer, apiKey: Secret): { shown: Buffer; failure?: ProviderError | undefined } {
  const all = eventsIn(events.toString());
  const values = all.map(valueIn);
  const at = values.findIndex((value) => isErrorValue(value) && !isReadableByClients(value));
  if (at < 0) return { shown: events };
  return { shown: Buffer.from(all.slice(0, at).join('')), failure: toStreamError(values[at], apiKey) };
}

const eventsIn = (text: string) => text.split(/(?<=\r?\n\r?\n)/);

/**
 * True if the last events of a stream say that it has ended, well or with an error; not all providers send `[DONE]`, and
 * images and sounds end with an event of their own.
 */
const isEnd = (events: string) =>
  /^data: ?\[DONE\]/m.test(events) ||
  /"finish_reason": ?"[^"]/.test(events) ||
  /"type": ?"[a-z_.]+\.(completed|done)"/.test(events) ||
  eventsIn(events).some((event) => Boolean(dataOf(event)?.error));

/** Packets at the end of a stream that must contain its end. */
const lastPackets = 4;

type Relaying = {
  hidesUsage: boolean;
  signal: AbortSignal;
  /** Longest event. */
  eventBytes?: number | undefined;
};

/**
 * Relays events packet by packet and byte by byte, and looks for the usage on the way. With `hidesUsage` that event is
 * left out, because the client has not asked for it. An event is sent once it is complete, so that a failure of the
 * provider can be reported after the last one. The connection stays open at the end.
 */
export function relayStream(
  { body, apiKey }: RelayedResponse,
  raw: ServerResponse,
  { hidesUsage, signal, eventBytes = usualEventBytes }: Relaying,
): Promise<Outcome> {
  return new Promise((resolve) => {
    let usage: TokenCounts | null = null;
    let tier: string | null = null;
    const counter = tokenCounter();
    const cutter = eventCutter();
    const holdsKey = createKeyDetector(apiKey);
    const last: Buffer[] = [];
    const writer = createWriter(body, raw);

    function finish(failure?: unknown) {
      writer.release();
      if (failure !== undefined) body.destroy();
      resolve({ usage, events: counter.tokens(), used: [], tier, failure });
    }
    function safeIn(given: Buffer): { shown: Buffer; failure?: ProviderError | undefined } {
      const isOfError = mayBeError(given);
      const { shown, failure } = isOfError ? upToFailure(given, apiKey) : { shown: given };
      return { shown: isOfError || holdsKey(shown) ? withoutKeyInEvents(shown, apiKey) : shown, failure };
    }
    /** Returns the part of complete events that the client gets. */
    function examined(events: Buffer): Buffer {
      counter.add(events);
      tier ??= tierOf(events);
      if (!mayHoldUsage(events)) return events;
      const kept = eventsIn(events.toString()).filter((event) => {
        const found = usageOfEvent(event);
        usage = found?.usage ?? usage;
        return !(found?.isAlone && hidesUsage);
      });
      return hidesUsage ? Buffer.from(kept.join('')) : events;
    }

    body.read({
      onData(chunk) {
        const events = cutter.cut(chunk);
        if (cutter.heldBytes() > eventBytes) return finish(tooLarge());
        if (!events) return;
        // Comments may follow the end.
        if (events.includes('data:')) last.push(events);
        if (last.length > lastPackets) last.shift();
        const { shown, failure } = safeIn(events);
        writer.write(examined(shown));
        if (failure) finish(failure);
      },
      onEnd() {
        const rest = cutter.held();
        const { shown, failure } = safeIn(rest);
        if (!failure && !isEnd(Buffer.concat([...last, rest]).toString())) return finish(endedEarly());
        writer.write(examined(shown));
        finish(failure);
      },
      onError: (error) => finish(signal.aborted ? signal.reason : toConnectionError(error)),
    });
  });
}
