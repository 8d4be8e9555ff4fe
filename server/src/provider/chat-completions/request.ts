import { alternateTurns } from '#server/provider/alternate-turns';
import { type AnswerTools, noParameters } from '#server/provider/answer-tools';
import { notIncludedNote, toContent } from '#server/provider/content-parts';
import type { AnswerRequest, ConversationTurn, TurnImage } from '#server/provider/provider';
import type { OmittedFields } from '#server/provider/responses/answer';
import { ProviderError } from '#server/provider/transport/error';

function choiceOf(choice: AnswerTools['choice']) {
  return typeof choice === 'object' ? { type: 'function', function: { name: choice.function } } : choice;
}

/**
 * The part of a Chat Completions request about functions and the response format. Code and file search are not
 * available here, and an answer without them would be useless if they were asked for.
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
        // Compatible servers may not know this field, so its default is not sent.
        ...(!tools.isParallel && { parallel_tool_calls: false }),
      }),
    ...(format && format.type !== 'text' && { response_format: format }),
  };
}

/** A turn's calls next to its text, and the messages with their outputs. */
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
 * Compatible servers accept no documents. For the newest question that is an error; in earlier messages a remark
 * replaces the document.
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
  const content = await toContent<Part>(turn, words, (part) =>
    part.type === 'image' ? imageOf(part) : words(notIncludedNote(part.filename)),
  );
  const { ofTurn, answers } = callMessages(turn, echoes);
  return [{ role: turn.role, content: turn.calls && content === '' ? null : content, ...ofTurn }, ...answers];
}

/** The body of a Chat Completions request. @throws ProviderError for unsupported parts */
export async function requestBody(request: AnswerRequest, omitted: OmittedFields) {
  const { model, instructions, temperature, effort, topP, maxOutputTokens } = request;
  const newest = request.turns.at(-1);
  // Before turns are joined: a document in an earlier, rejected question must not fail every later one.
  if (newest) refuseDocument(newest);
  const turns = alternateTurns(request.turns);
  // Echoed fields matter only within the current turn; another model may answer the next one.
  const question = turns.findLastIndex(({ role }) => role === 'user');
  const messages = turns.map((turn, index) => messagesOf(turn, { echoes: index > question }));
  return {
    model,
    messages: [
      ...(instructions ? [{ role: 'system', content: instructions }] : []),
      ...(await Promise.all(messages)).flat(),
    ],
    stream: true,
    // `store` is not sent: Chat Completions store nothing by default, and a server may reject an unknown field.
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
