import type { FastifyReply } from 'fastify';
import { type Failure, type Fault, failureFrom, failureOf } from '../faults/fault.ts';
import { wait } from '../generation/pacing.ts';
import type { Account } from '../state/account.ts';
import { serverError } from './errors.ts';
import type { JournalEntry } from './journal.ts';

/** The state of one request. */
export type Call = {
  key: string;
  account: Account;
  entry: JournalEntry;
  /** From the control route; directives in a message may add to it. */
  fault: Fault;
  /** Aborted when the client leaves before the answer is complete. */
  signal: AbortSignal;
  /** The simulator itself broke the connection, not the client. */
  broken: boolean;
};

declare module 'fastify' {
  interface FastifyRequest {
    call: Call;
  }
}

export function sendFailure(reply: FastifyReply, failure: Failure): FastifyReply {
  return reply
    .status(failure.status)
    .headers(failure.headers)
    .header('content-type', failure.contentType)
    .serializer((payload: string) => payload)
    .send(failure.body);
}

/** Applies a fault before an answer starts. True: the request has been handled. */
export async function applyFault(fault: Fault, reply: FastifyReply, model: string): Promise<boolean> {
  const { signal, key } = reply.request.call;
  if (fault.delayMs !== undefined) await wait(fault.delayMs, signal);
  if (signal.aborted) {
    reply.hijack();
    return true;
  }
  if (fault.disconnect === true) {
    reply.request.call.broken = true;
    reply.hijack();
    reply.raw.destroy();
    return true;
  }
  if (fault.hang === true) {
    reply.hijack();
    return true;
  }
  const failure = failureFrom(fault, key, model);
  if (failure === null) return false;
  sendFailure(reply, failure);
  return true;
}

/** Applies the faults of a stream to an answer in one piece. True: the request has been handled. */
export function applyStreamFaults(fault: Fault, reply: FastifyReply): boolean {
  const { call } = reply.request;
  if (call.signal.aborted || fault.hangAfter !== undefined) {
    reply.hijack();
    return true;
  }
  if (fault.dropAfter !== undefined) {
    call.broken = true;
    reply.hijack();
    reply.raw.destroy();
    return true;
  }
  if (fault.malformedAfter !== undefined) {
    const contentType = 'application/json; charset=utf-8';
    sendFailure(reply, { status: 200, contentType, body: '{"id":"resp_brok', headers: {} });
    return true;
  }
  if (fault.errorAfter !== undefined) {
    sendFailure(reply, failureOf(serverError()));
    return true;
  }
  return false;
}
