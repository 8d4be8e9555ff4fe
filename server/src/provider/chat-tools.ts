import { z } from 'zod';
import { type AnswerTools, type CallReader, noParameters } from './answer-tools.ts';
import { ProviderError } from './error.ts';
import type { AnswerRequest, ConversationTurn } from './provider.ts';

function choiceOf(choice: AnswerTools['choice']) {
  return typeof choice === 'object' ? { type: 'function', function: { name: choice.function } } : choice;
}

/**
 * The part of a request of Chat Completions that is about functions and the answer's form. Neither files nor code are
 * searched or run here: an answer for which that was asked would be worth nothing.
 */
export function chatToolFields({ tools, search, format }: Pick<AnswerRequest, 'tools' | 'search' | 'format'>) {
  if (tools?.codeInterpreter)
    throw new ProviderError('bad_request', 'This provider has no code interpreter. Use the assistant without it.');
  if (search?.isNeeded)
    throw new ProviderError('bad_request', 'This provider has no file search. Use the assistant without it.');
  const functions = (tools?.functions ?? []).map(({ name, description, parameters = noParameters, strict }) => ({
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      parameters,
      ...(strict && { strict }),
    },
  }));
  return {
    ...(tools &&
      functions.length > 0 && {
        tools: functions,
        tool_choice: choiceOf(tools.choice),
        // Compatible servers may not know the field, and its usual value need not be said.
        ...(!tools.isParallel && { parallel_tool_calls: false }),
      }),
    ...(format && format.type !== 'text' && { response_format: format }),
  };
}

/** A turn's calls beside its words, and the messages that answer them. */
export function callMessages({ calls = [] }: ConversationTurn) {
  return {
    ofTurn:
      calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ callId, name, input }) => ({
              id: callId,
              type: 'function',
              function: { name, arguments: input },
            })),
          },
    answers: calls.map(({ callId, output }) => ({ role: 'tool', tool_call_id: callId, content: output })),
  };
}

/** The calls in a piece of the answer: a name and an id once, the arguments in pieces. */
export const CallPieces = z
  .array(
    z.object({
      index: z.number().int().min(0).max(1_000).catch(0),
      id: z.string().nullish().catch(null),
      function: z
        .object({ name: z.string().nullish().catch(null), arguments: z.string().nullish().catch(null) })
        .nullish()
        .catch(null),
    }),
  )
  .nullish()
  .catch(null);

/** Puts calls together that come in pieces, and takes them at the end. */
export function callCollector(calls: CallReader) {
  const open = new Map<number, { callId: string; name: string; input: string }>();
  return {
    add(pieces: z.output<typeof CallPieces>) {
      for (const { index, id, function: called } of pieces ?? []) {
        const call = open.get(index) ?? { callId: '', name: '', input: '' };
        call.callId ||= id ?? '';
        call.name ||= called?.name ?? '';
        call.input += called?.arguments ?? '';
        open.set(index, call);
      }
    },
    /** How much has been collected, in UTF-16 units. */
    length: () => [...open.values()].reduce((sum, { input }) => sum + input.length, 0),
    takeAll() {
      for (const call of open.values())
        calls.take('function', { ...call, input: call.input === '' ? '{}' : call.input, output: null });
      open.clear();
    },
  };
}
