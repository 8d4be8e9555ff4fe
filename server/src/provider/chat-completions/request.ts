import { alternateTurns } from '#server/provider/alternate-turns';
import { type AnswerTools, noParameters } from '#server/provider/answer-tools';
import { contentOf, notIncluded } from '#server/provider/content-parts';
import type { AnswerRequest, ConversationTurn, TurnImage } from '#server/provider/provider';
import type { Omitted } from '#server/provider/responses/answer';
import { ProviderError } from '#server/provider/transport/error';

function choiceOf(choice: AnswerTools['choice']) {
  return typeof choice === 'object' ? { type: 'function', function: { name: choice.function } } : choice;
}

/**
 * The part of a request of Chat Completions that is about functions and the answer's form. Neither files nor code are
 * searched or run here: an answer for which that was asked would be worth nothing.
 */
function toolFields({ tools, search, format }: Pick<AnswerRequest, 'tools' | 'search' | 'format'>) {
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
function callMessages({ calls = [] }: ConversationTurn, echoes: boolean) {
  const echoOf = ({ echo }: (typeof calls)[number]) => (echoes ? echo : undefined);
  return {
    ofTurn:
      calls.length === 0
        ? {}
        : {
            ...Object.assign({}, ...calls.map((call) => echoOf(call)?.message)),
            tool_calls: calls.map((call) => ({
              id: call.callId,
              type: 'function',
              function: { name: call.name, arguments: call.input },
              ...echoOf(call)?.call,
            })),
          },
    answers: calls.map(({ callId, output }) => ({ role: 'tool', tool_call_id: callId, content: output })),
  };
}

type Part = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string; detail?: string } };

const imageOf = ({ url, detail }: TurnImage): Part => ({
  type: 'image_url',
  image_url: detail === 'auto' ? { url } : { url, detail },
});

/**
 * Compatible servers take no documents. An answer to a question that came with one would be worth nothing; in earlier
 * messages a remark takes its place.
 */
function refuseDocument({ files = [] }: ConversationTurn) {
  const document = files.find(({ kind }) => kind === 'document');
  if (document)
    throw new ProviderError(
      'bad_request',
      `This provider reads no documents such as “${document.filename}”. Attach its text, or images of its pages, instead.`,
    );
}

async function messagesOf(turn: ConversationTurn, { echoes }: { echoes: boolean }) {
  const words = (text: string): Part => ({ type: 'text', text });
  const content = await contentOf<Part>(turn, words, (part) =>
    part.type === 'image' ? imageOf(part) : words(notIncluded(part.filename)),
  );
  const { ofTurn, answers } = callMessages(turn, echoes);
  return [{ role: turn.role, content: turn.calls && content === '' ? null : content, ...ofTurn }, ...answers];
}

/** What Chat Completions are asked for. @throws ProviderError for what they cannot do */
export async function requestBody(request: AnswerRequest, omitted: Omitted) {
  const { model, instructions, temperature, effort, topP, maxOutputTokens } = request;
  const newest = request.turns.at(-1);
  // Before turns are joined: an earlier question that was refused for its document must not refuse every later one.
  if (newest) refuseDocument(newest);
  const turns = alternateTurns(request.turns);
  // Once its turn has ended, nobody wants it back, and another model may answer the next one.
  const question = turns.findLastIndex(({ role }) => role === 'user');
  const messages = turns.map((turn, index) => messagesOf(turn, { echoes: index > question }));
  return {
    model,
    messages: [
      ...(instructions ? [{ role: 'system', content: instructions }] : []),
      ...(await Promise.all(messages)).flat(),
    ],
    stream: true,
    // Without `store`: here nothing is stored unless it is asked for, and a server may refuse what it does not know.
    ...(!omitted.has('stream_options') && { stream_options: { include_usage: true } }),
    ...(temperature !== null && !omitted.has('temperature') && { temperature }),
    ...(typeof topP === 'number' && !omitted.has('top_p') && { top_p: topP }),
    ...(effort && !omitted.has('effort') && { reasoning_effort: effort }),
    ...(maxOutputTokens !== undefined &&
      (omitted.has('max_completion_tokens')
        ? { max_tokens: maxOutputTokens }
        : { max_completion_tokens: maxOutputTokens })),
    ...toolFields(request),
  };
}
