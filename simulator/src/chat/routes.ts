import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Fault } from '../faults/fault.ts';
import { EventStream } from '../generation/event-stream.ts';
import { wait } from '../generation/pacing.ts';
import { directivesFor, type Plan, planFor, requestedFault } from '../generation/plan.ts';
import { preciseNow, sendAnswer } from '../generation/send-answer.ts';
import { tokensOf } from '../generation/tokens.ts';
import { usageOf } from '../generation/usage.ts';
import { applyFault, applyStreamFaults } from '../http/call.ts';
import { serverError } from '../http/errors.ts';
import type { JsonObject } from '../http/fields.ts';
import { newId } from '../state/identifiers.ts';
import type { World } from '../world.ts';
import { type ChatRequest, readChatRequest } from './request.ts';

type Work = {
  reply: FastifyReply;
  request: ChatRequest;
  plan: Plan;
  fault: Fault;
  delayMs: number;
  created: number;
};

const FINISH_REASONS = { completed: 'stop', max_output_tokens: 'length', content_filter: 'content_filter' } as const;

const finishOf = ({ calls, ending }: Plan) => (calls.length > 0 ? 'tool_calls' : FINISH_REASONS[ending]);

/** The usage for this many sent tokens. */
const usageFor = ({ request, plan }: Work, sent: number) => usageOf(request.question, plan, sent, request.inputTokens);

function usageObject(work: Work): JsonObject {
  const usage = usageFor(work, work.plan.tokens.length);
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function head({ request, created }: Work, object: string): JsonObject {
  return {
    id: newId('chatcmpl-'),
    object,
    created,
    model: request.question.model,
    service_tier: 'default',
    system_fingerprint: 'fp_simulator',
  };
}

/** The calls of tools in pieces, as they are streamed. */
function* callDeltas({ calls }: Work['plan']): Generator<JsonObject> {
  for (const [index, call] of calls.entries()) {
    const named = { index, id: newId('call_'), type: 'function', function: { name: call.name, arguments: '' } };
    yield { tool_calls: [named] };
    for (const piece of tokensOf(call.arguments)) yield { tool_calls: [{ index, function: { arguments: piece } }] };
  }
}

async function answerInStream(world: World, work: Work): Promise<void> {
  const { reply, request, plan, fault, delayMs } = work;
  const stream = new EventStream(reply, fault.fragments);
  const shared = head(work, 'chat.completion.chunk');
  const start = `data: ${JSON.stringify(shared).slice(0, -1)}`;
  const chunk = (delta: JsonObject, finish: string | null) => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
    stream.write(`${start},"choices":${JSON.stringify(choices)}}\n\n`);
  };
  const name = plan.kind === 'refusal' ? 'refusal' : 'content';
  const token = (index: number) => {
    const stamp = plan.stamped ? `,"sent_at":${preciseNow()}` : '';
    const text = JSON.stringify(plan.tokens[index] ?? '');
    stream.write(
      `${start},"choices":[{"index":0,"delta":{"${name}":${text}},"logprobs":null,"finish_reason":null}]${stamp}}\n\n`,
    );
  };

  chunk(
    { role: 'assistant', content: plan.kind === 'refusal' || plan.calls.length > 0 ? null : '', refusal: null },
    null,
  );
  for (const delta of callDeltas(plan)) chunk(delta, null);
  const ended = await sendAnswer({
    stream,
    entry: reply.request.call.entry,
    count: plan.tokens.length,
    delayMs,
    fault,
    send: token,
    malformed: () => stream.write(`${start},"choices":[{"index":0,"delta":{"content":"brok\n\n`),
    unknown: () => stream.write(': a comment\n\n'),
  });
  // Written tokens are charged, read or not; a failure of the provider itself is not.
  if (ended !== 'error' && ended !== 'failed')
    await world.ledger.answered(
      world.clock.now(),
      request.question.model,
      usageFor(work, work.reply.request.call.entry.tokens),
    );
  switch (ended) {
    case 'left':
      return;
    case 'drop':
      return stream.drop();
    case 'hang':
      return stream.silence();
    case 'error':
    case 'failed':
      stream.write(`data: ${JSON.stringify({ error: serverError().body })}\n\n`);
      return stream.end();
    case 'said':
      chunk({}, finishOf(plan));
      if (request.includeUsage) {
        stream.write(`${start},"choices":[],"usage":${JSON.stringify(usageObject(work))}}\n\n`);
      }
      stream.write('data: [DONE]\n\n');
      return stream.end();
  }
}

async function answerAtOnce(world: World, work: Work): Promise<FastifyReply> {
  const { reply, request, plan, fault, delayMs } = work;
  const { entry, signal } = reply.request.call;
  if (delayMs > 0) await wait(plan.tokens.length * delayMs, signal);
  const asError = fault.failedAfter === undefined ? fault : { ...fault, errorAfter: fault.failedAfter };
  if (applyStreamFaults(asError, reply)) return reply;
  entry.tokens = plan.tokens.length;
  await world.ledger.answered(world.clock.now(), request.question.model, usageFor(work, entry.tokens));
  const text = plan.tokens.join('');
  const calls = plan.calls.map((call) => ({ id: newId('call_'), type: 'function', function: call }));
  const message = {
    role: 'assistant',
    content: plan.kind === 'refusal' || calls.length > 0 ? null : text,
    refusal: plan.kind === 'refusal' ? text : null,
    annotations: [],
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return reply.send({
    ...head(work, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(plan) }],
    usage: usageObject(work),
  });
}

export function chatRoutes(app: FastifyInstance, world: World): void {
  app.post('/chat/completions', async ({ call, body }, reply) => {
    const request = readChatRequest(call.account, body, world.settings);
    const directives = directivesFor(request.question, world.settings.script);
    const fault = { ...requestedFault(world.sufferedOnce, call.key, request.question, directives), ...call.fault };
    if (await applyFault(fault, reply, request.question.model)) return reply;
    const work: Work = {
      reply,
      request,
      plan: planFor(request.question, directives, fault, world.settings.script),
      fault,
      delayMs: fault.tokenDelayMs ?? world.settings.tokenDelayMs,
      created: world.clock.seconds(),
    };
    if (!request.stream) return answerAtOnce(world, work);
    await answerInStream(world, work);
    return reply;
  });
}
