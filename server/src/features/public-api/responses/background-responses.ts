import type { FastifyReply } from 'fastify';
import { outageFor } from '#server/features/public-api/assistant-models/with-fallback';
import { sendNotes } from '#server/features/public-api/shared/call-context';
import { type Cost, costOf } from '#server/features/public-api/shared/call-log';
import type { ModelNames } from '#server/features/public-api/shared/model-names';
import type { CallRegistry } from '#server/http/public-api/call-registry';
import { PublicApiError } from '#server/http/public-api/errors';
import { sendEventHeaders } from '#server/http/streaming/event-stream';
import { failedOutcome, type Outcome, readAnswer } from './answer.ts';
import type { BackgroundRunner } from './background.ts';
import type { ResponseRepository } from './repository.ts';
import type { ResponseObject } from './response-object.ts';
import type { ResponseSender } from './send.ts';
import {
  type Call,
  costOfRefusal,
  type NoteFailure,
  type PreparedResponse,
  type StartedResponse,
  storedEnd,
} from './started-response.ts';

type Dependencies = {
  modelNames: Pick<ModelNames, 'fallbackOf' | 'explained'>;
  openCalls: CallRegistry;
  ask: ResponseSender['ask'];
  background: BackgroundRunner;
  started: ResponseRepository['started'];
};

type Steps = {
  /** `outage`: why the fallback of the assistant is asked. */
  prepare: (call: Call, outage?: string) => Promise<PreparedResponse>;
  begin: (call: Call, outage?: string) => Promise<StartedResponse>;
  noted: NoteFailure;
};

type Attempt = { started: StartedResponse; outcome: Outcome; cost: Cost | null };
type Send = (frames: string) => void;

const maxUnread = 4 * 1024 * 1024;
const json = 'application/json; charset=utf-8';
const nothing = { output: [], deltas: 0, number: 0 };

/** Headers are sent before the provider is asked, so the response itself contains the notes. */
const withNotes = (base: ResponseObject, notes: string[]): ResponseObject =>
  notes.length > 0 ? { ...base, roster_note: notes.join(' ') } : base;

const hasWritten = ({ response, events, used }: Outcome) => response.output.length > 0 || events > 0 || used.length > 0;

/** Writes a response that is stored, if need be by the fallback of its assistant. */
function responseWriter(dependencies: Dependencies, { prepare, noted }: Pick<Steps, 'prepare' | 'noted'>) {
  const { ask } = dependencies;

  /** Asks the fallback for the same response. If it cannot be asked, its failure is that of the response. */
  async function askFallback(call: Call, first: Attempt, outage: string, send: Send, signal: AbortSignal) {
    const { open } = first.started;
    try {
      const { order, apiKey } = await prepare(call, outage);
      const started = { order, apiKey, open: await open.askedAgain(order, first.cost) };
      return await attempt(ask, started, send, signal);
    } catch (error) {
      return { ...first, outcome: failedOutcome(open.base, error, nothing) };
    }
  }

  async function outageOf(call: Call, { order }: StartedResponse, { failure }: Outcome): Promise<string | null> {
    if (order.isOfFallback) return null;
    try {
      return await outageFor(dependencies.modelNames, call, failure);
    } catch (error) {
      // The response still has to end, with its own failure.
      call.request.log.error({ err: error }, 'could not look for the fallback of an assistant');
      return null;
    }
  }

  return async (call: Call, started: StartedResponse, send: Send, signal: AbortSignal): Promise<void> => {
    await dependencies.started(call.caller.userId, started.open.id ?? 0);
    let isSent = false;
    const sending = (frames: string) => {
      isSent = true;
      send(frames);
    };
    let last = await attempt(ask, started, sending, signal);
    const isStarted = call.body.stream === true ? isSent : hasWritten(last.outcome);
    const outage = isStarted || signal.aborted ? null : await outageOf(call, started, last.outcome);
    if (outage !== null) {
      await noted(call, started.order.model, last.outcome.failure);
      last = await askFallback(call, last, outage, send, signal);
    }
    const frames = await storedEnd(call, last.started.open, last.cost, last.outcome);
    if (last.outcome.failure !== undefined) await noted(call, last.started.order.model, last.outcome.failure);
    send(frames);
  };
}

/** Background answers, which clients poll. Events are sent as fast as the client reads them. */
export function backgroundResponses(dependencies: Dependencies, steps: Steps) {
  const { openCalls, background } = dependencies;
  const { begin } = steps;
  const write = responseWriter(dependencies, steps);

  async function beginOrFallBack(call: Call): Promise<StartedResponse> {
    try {
      return await begin(call);
    } catch (error) {
      const outage = await outageFor(dependencies.modelNames, call, error);
      if (outage === null) throw await dependencies.modelNames.explained(call.caller.userId, call.body.model, error);
      return begin(call, outage);
    }
  }

  return async (call: Call): Promise<FastifyReply> => {
    const { caller, body, reply, request } = call;
    if (body.store === false)
      throw new PublicApiError('invalid_input', "Background mode requires 'store' to be true.", {
        param: 'background',
      });
    background.refuseWhenClosing();
    const held = openCalls.begin(caller, { isKept: true });
    let started: StartedResponse;
    try {
      started = await beginOrFallBack(call);
    } catch (error) {
      held.done();
      throw error;
    }
    const { open, order } = started;
    sendNotes(reply, order.notes);
    if (body.stream !== true) {
      void background.start(open.id ?? 0, held, (signal) => write(call, started, () => undefined, signal));
      return reply
        .status(200)
        .type(json)
        .send({ ...open.base, status: 'queued' });
    }
    sendEventHeaders(request, reply);
    const { raw } = reply;
    const sendFrames = (frames: string) => {
      if (!raw.destroyed) raw.write(frames);
      // The response can be read again, so a client that does not read is disconnected.
      if (raw.writableLength > maxUnread) raw.destroy();
    };
    await background.start(open.id ?? 0, held, (signal) => write(call, started, sendFrames, signal));
    raw.end();
    return reply;
  };
}

/** Asks once, and reads the answer to its end. */
async function attempt(
  ask: ResponseSender['ask'],
  started: StartedResponse,
  send: Send,
  signal: AbortSignal,
): Promise<Attempt> {
  const { order, open, apiKey } = started;
  let base = withNotes(open.base, order.notes);
  try {
    const answered = await ask(order, { apiKey, signal, streams: true });
    base = withNotes(open.base, answered.notes);
    const outcome = await readAnswer(answered, base, { send, signal, naming: order.naming });
    return { started, outcome, cost: costOf(order.inputTokens, outcome) };
  } catch (error) {
    const outcome = failedOutcome(base, error, nothing);
    return { started, outcome, cost: costOfRefusal(order, error, signal) };
  }
}
