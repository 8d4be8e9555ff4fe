import type { FastifyReply } from 'fastify';
import type { Container } from '../containers/containers.ts';
import type { Fault } from '../faults/fault.ts';
import { EventStream } from '../generation/event-stream.ts';
import { wait } from '../generation/pacing.ts';
import { directivesFor, type Plan, planFor, requestedFault } from '../generation/plan.ts';
import { lastUserText } from '../generation/question.ts';
import { usageOf } from '../generation/usage.ts';
import { applyFault, applyStreamFaults } from '../http/call.ts';
import { invalidRequest, serverError } from '../http/errors.ts';
import type { JsonObject } from '../http/fields.ts';
import type { Account, StoredResponse } from '../state/account.ts';
import { queryFor, searchStores } from '../vector-stores/search.ts';
import type { World } from '../world.ts';
import { type ResponseRequest, readResponseRequest } from './request.ts';
import { responseBase, type Status, usageObject } from './response-object.ts';
import { ResponseEvents, type Search, wholeOutput } from './stream.ts';

const STORED = 100;
const QUEUED_MS = 500;

type Work = {
  world: World;
  reply: FastifyReply;
  request: ResponseRequest;
  base: JsonObject & { id: string };
  plan: Plan;
  search: Search | null;
  container: Container | null;
  fault: Fault;
  delayMs: number;
};

function statusOf(plan: Plan): Status {
  return plan.ending === 'completed' ? 'completed' : 'incomplete';
}

function finished(work: Work, status: Status, output: JsonObject[], sent: number): JsonObject {
  const { world, base, plan, request } = work;
  const usage = usageObject(usageOf(request.question, plan, sent, request.inputTokens));
  return {
    ...base,
    status,
    output,
    completed_at: status === 'completed' ? world.clock.seconds() : null,
    error: status === 'failed' ? { code: 'server_error', message: serverError().message } : null,
    incomplete_details: status === 'incomplete' ? { reason: plan.ending } : null,
    ...(status === 'failed' ? {} : { usage }),
  };
}

/** Written tokens are charged, read or not; a failure of the provider itself is not. */
function charge({ world, request, plan }: Work, sent: number): Promise<void> {
  const usage = usageOf(request.question, plan, sent, request.inputTokens);
  return world.ledger.answered(world.clock.now(), request.question.model, usage);
}

function keep(work: Work, account: Account, response: JsonObject, readyMs: number): void {
  const { request, base, plan, world } = work;
  if (!request.store) return;
  const stored: StoredResponse = {
    id: base.id,
    response,
    input: request.input,
    tokens: request.inputTokens + plan.reasoningTokens + plan.tokens.length,
    startedMs: world.clock.now(),
    readyMs,
    cancelledMs: null,
  };
  account.responses.push(stored);
  if (account.responses.length > STORED) account.responses.shift();
}

async function answerInStream(work: Work): Promise<void> {
  const { world, reply, plan, search, container, fault, delayMs, base } = work;
  const { account, entry } = reply.request.call;
  const stream = new EventStream(reply, fault.fragments);
  const events = new ResponseEvents({ stream, entry, base, plan, search, container, fault, delayMs });
  events.begin();
  if (plan.summary !== null) await events.reason(plan.summary);
  if (search !== null) events.search(search);
  if (plan.webQuery !== null) events.searchWeb(plan.webQuery);
  if (plan.picture !== null) events.drawPicture(plan.picture);
  if (plan.code !== null && container !== null) events.runCode(plan.code, container, work.request.includeCodeOutputs);
  const isSilent = plan.calls.length > 0 && plan.tokens.length === 0;
  const ended = isSilent ? 'said' : await events.message();
  if (ended === 'said') for (const call of plan.calls) events.call(call);
  if (ended !== 'error' && ended !== 'failed') await charge(work, entry.tokens);
  switch (ended) {
    case 'left':
      return;
    case 'drop':
      return stream.drop();
    case 'hang':
      return stream.silence();
    case 'error': {
      const { message, code } = serverError().body;
      events.send('error', { code, message, param: null });
      return stream.end();
    }
    case 'failed':
      events.send('response.failed', { response: finished(work, 'failed', events.output, 0) });
      return stream.end();
    case 'said': {
      const status = statusOf(plan);
      const response = finished(work, status, events.output, plan.tokens.length);
      keep(work, account, response, world.clock.now());
      events.send(status === 'completed' ? 'response.completed' : 'response.incomplete', { response });
      return stream.end();
    }
  }
}

const outputOf = ({ plan, search, container, request }: Work) =>
  wholeOutput({ plan, search, container, showsCode: request.includeCodeOutputs });

async function answerAtOnce(work: Work): Promise<FastifyReply> {
  const { world, reply, plan, fault, delayMs } = work;
  const { account, entry, signal } = reply.request.call;
  if (delayMs > 0) await wait(plan.tokens.length * delayMs, signal);
  if (applyStreamFaults(fault, reply)) return reply;
  entry.tokens = plan.tokens.length;
  const failed = fault.failedAfter !== undefined;
  if (!failed) await charge(work, entry.tokens);
  const output = failed ? [] : outputOf(work);
  const response = finished(work, failed ? 'failed' : statusOf(plan), output, plan.tokens.length);
  keep(work, account, response, world.clock.now());
  return reply.send(response);
}

async function answerInBackground(work: Work): Promise<FastifyReply> {
  const { world, reply, plan, base, delayMs } = work;
  const { account } = reply.request.call;
  const response = finished(work, statusOf(plan), outputOf(work), plan.tokens.length);
  keep(work, account, response, world.clock.now() + QUEUED_MS * 2 + plan.tokens.length * delayMs);
  await charge(work, plan.tokens.length);
  return reply.send({ ...base, status: 'queued' });
}

/** A background response in its current state. */
export function asOfNow(stored: StoredResponse, nowMs: number): JsonObject {
  const unfinished = { completed_at: null, output: [], usage: undefined };
  if (stored.cancelledMs !== null) return { ...stored.response, ...unfinished, status: 'cancelled' };
  if (nowMs >= stored.readyMs) return stored.response;
  const status = nowMs < stored.startedMs + QUEUED_MS ? 'queued' : 'in_progress';
  return { ...stored.response, ...unfinished, status };
}

/** The error of a model that lacks these tools. */
function refuseTools({ tools, question }: ResponseRequest, refused: readonly string[]): void {
  const type = refused.find((one) => tools.includes(one));
  if (type !== undefined)
    throw invalidRequest(`Hosted tool '${type}' is not supported with ${question.model}.`, 'tools');
}

export async function createResponse(world: World, reply: FastifyReply, body: unknown): Promise<FastifyReply> {
  const { call } = reply.request;
  const request = readResponseRequest(call.account, body, world.settings);
  const directives = directivesFor(request.question, world.settings.script);
  const fault: Fault = { ...requestedFault(world.sufferedOnce, call.key, request.question, directives), ...call.fault };
  if (await applyFault(fault, reply, request.question.model)) return reply;

  refuseTools(request, directives.wish.refusedTools ?? []);
  const plan = planFor(request.question, directives, fault, world.settings.script);
  const results = request.searchIn.length === 0 ? [] : searchStores(call.account, request.searchIn, world.clock.now());
  const query = queryFor(lastUserText(request.question.turns));
  const work: Work = {
    world,
    reply,
    request,
    base: responseBase(request, world.clock.seconds()),
    plan,
    container: plan.code === null ? null : world.containers.make(call.account.id, plan.made, world.clock.now()),
    search: request.searchIn.length === 0 ? null : { query, results, shown: request.includeResults },
    fault,
    delayMs: fault.tokenDelayMs ?? world.settings.tokenDelayMs,
  };
  if (request.stream) {
    await answerInStream(work);
    return reply;
  }
  return request.background ? answerInBackground(work) : answerAtOnce(work);
}
