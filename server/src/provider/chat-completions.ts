import { z } from 'zod';
import { callReader } from './answer-tools.ts';
import type { TokenCounts } from './catalogue.ts';
import { CallPieces, callCollector, callMessages, chatToolFields } from './chat-tools.ts';
import { ProviderError } from './error.ts';
import { eventJson, readEvents } from './event-reader.ts';
import { failureInStream } from './failures.ts';
import type { ProviderHttp } from './http.ts';
import { collectPieces, tellOfWaits } from './pieces.ts';
import type { AnswerEnd, AnswerPiece, AnswerRequest, ConversationTurn, TurnImage } from './provider.ts';
import type { Omitted } from './responses.ts';
import { believed, tokenCount } from './token-counts.ts';
import { contentOf, notIncluded } from './turn-parts.ts';

const Usage = z.object({
  prompt_tokens: tokenCount,
  completion_tokens: tokenCount,
  prompt_tokens_details: z.object({ cached_tokens: tokenCount }).nullish().catch(null),
  completion_tokens_details: z.object({ reasoning_tokens: tokenCount }).nullish().catch(null),
});
const Chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            reasoning_content: z.string().nullish(),
            tool_calls: CallPieces,
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .catch([]),
  usage: Usage.nullish().catch(null),
  error: z
    .union([z.string().transform((message) => ({ message })), z.record(z.string(), z.unknown())])
    .nullish()
    .catch(null),
});

/** What a compatible server says it has used; null where it says nothing. */
export function chatUsage(value: unknown): TokenCounts | null {
  const parsed = Usage.safeParse(value);
  return parsed.success ? countsOf(parsed.data) : null;
}

function countsOf(usage: z.output<typeof Usage>): TokenCounts | null {
  return believed({
    inputTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    cacheWriteTokens: 0,
    outputTokens: usage.completion_tokens,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  });
}

type Part = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string; detail?: string } };

const imageOf = ({ url, detail }: TurnImage): Part => ({
  type: 'image_url',
  image_url: detail === 'auto' ? { url } : { url, detail },
});

/**
 * Documents are not part of what compatible servers take. An answer to a question that came with one would be worth
 * nothing; in earlier messages a remark stands in its place.
 */
async function messagesOf(turn: ConversationTurn, isQuestion: boolean) {
  const words = (text: string): Part => ({ type: 'text', text });
  const document = turn.files?.find(({ kind }) => kind === 'document');
  if (isQuestion && document)
    throw new ProviderError(
      'bad_request',
      `This provider reads no documents such as “${document.filename}”. Attach its text, or images of its pages, instead.`,
    );
  const content = await contentOf<Part>(turn, words, (part) =>
    part.type === 'image' ? imageOf(part) : words(notIncluded(part.filename)),
  );
  const { ofTurn, answers } = callMessages(turn);
  return [{ role: turn.role, content: turn.calls && content === '' ? null : content, ...ofTurn }, ...answers];
}

async function requestBody(request: AnswerRequest, omitted: Omitted) {
  const { model, instructions, turns, temperature, effort, topP, maxOutputTokens } = request;
  return {
    model,
    messages: [
      ...(instructions ? [{ role: 'system', content: instructions }] : []),
      ...(await Promise.all(turns.map((turn, index) => messagesOf(turn, index === turns.length - 1)))).flat(),
    ],
    stream: true,
    // Without `store`: here nothing is stored unless it is asked for, and a server may refuse what it does not know.
    ...(!omitted.has('stream_options') && { stream_options: { include_usage: true } }),
    ...(temperature !== null && !omitted.has('temperature') && { temperature }),
    ...(typeof topP === 'number' && !omitted.has('top_p') && { top_p: topP }),
    ...(effort && !omitted.has('effort') && { reasoning_effort: effort }),
    ...(maxOutputTokens !== undefined && { max_completion_tokens: maxOutputTokens }),
    ...chatToolFields(request),
  };
}

/** Writes an answer through Chat Completions, for providers that do not serve Responses. @throws ProviderError */
export async function answerByChatCompletions(
  http: ProviderHttp,
  request: AnswerRequest,
  omitted: Omitted,
  onPieces: (pieces: AnswerPiece[]) => void,
  signal: AbortSignal,
): Promise<AnswerEnd> {
  const { body } = await http.send({
    method: 'POST',
    path: '/chat/completions',
    apiKey: request.apiKey,
    body: await requestBody(request, omitted),
    signal,
    onWait: tellOfWaits(onPieces),
    onAsking: request.onAsking,
  });
  let reason: string | undefined;
  let usage: TokenCounts | null = null;
  let done = false;
  const pieces = collectPieces(onPieces);
  const calls = callCollector(callReader((call) => pieces.addCall(call)));

  try {
    await readEvents(
      body,
      {
        onEvent({ data }) {
          if (done) return;
          if (data === '[DONE]') {
            done = true;
            return;
          }
          const chunk = Chunk.parse(eventJson(data));
          if (chunk.error) throw failureInStream(chunk.error);
          const [choice] = chunk.choices;
          pieces.add('reasoning', choice?.delta?.reasoning_content);
          pieces.add('text', choice?.delta?.content ?? choice?.delta?.refusal);
          if (request.tools) calls.add(choice?.delta?.tool_calls);
          reason = choice?.finish_reason ?? reason;
          if (chunk.usage) usage = countsOf(chunk.usage);
        },
        onPacket() {
          pieces.passOn();
          if (!pieces.isTooLong(calls.length())) return;
          reason = 'length';
          done = true;
        },
        isDone: () => done,
      },
      signal,
    );
  } catch (error) {
    // Some servers close without `[DONE]`; what they said is whole once a reason to finish has come.
    if (reason === undefined || signal.aborted) throw error;
  }
  if (reason === 'length' || reason === 'content_filter') return { reason, usage, citations: [] };
  calls.takeAll();
  pieces.passOn();
  return { reason: 'complete', usage, citations: [] };
}
