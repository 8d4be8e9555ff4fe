import { z } from 'zod';
import { callReader } from '#server/provider/answer-tools';
import type { TokenCounts } from '#server/provider/catalogue';
import { eventJson, readEvents } from '#server/provider/event-reader';
import { failureInStream } from '#server/provider/failures';
import type { ProviderHttp } from '#server/provider/http';
import { collectPieces, tellOfWaits } from '#server/provider/pieces';
import type { AnswerEnd, AnswerPiece, AnswerRequest } from '#server/provider/provider';
import type { Omitted } from '#server/provider/responses';
import { tierIn, usageIn } from '#server/provider/token-counts';
import { requestBody } from './request.ts';
import { CallPieces, callCollector } from './tool-calls.ts';

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
  error: z
    .union([z.string().transform((message) => ({ message })), z.record(z.string(), z.unknown())])
    .nullish()
    .catch(null),
});

/** Writes an answer through Chat Completions, for providers that do not serve Responses. @throws ProviderError */
export async function answerByChatCompletions(
  http: ProviderHttp,
  request: AnswerRequest,
  omitted: Omitted,
  onPieces: (pieces: AnswerPiece[]) => void,
  signal: AbortSignal,
): Promise<AnswerEnd> {
  let hasWords = false;
  const { body } = await http.send({
    method: 'POST',
    path: '/chat/completions',
    apiKey: request.apiKey,
    body: await requestBody(request, omitted),
    signal,
    awaitsWord: () => !hasWords,
    onWait: tellOfWaits(onPieces),
    onAsking: request.onAsking,
  });
  let reason: string | undefined;
  let usage: TokenCounts | null = null;
  let tier: string | null = null;
  let done = false;
  const pieces = collectPieces((some) => {
    hasWords = true;
    onPieces(some);
  });
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
          const event = eventJson(data);
          const chunk = Chunk.parse(event);
          if (chunk.error) throw failureInStream(event, request.apiKey);
          const [choice] = chunk.choices;
          pieces.add('reasoning', choice?.delta?.reasoning_content);
          pieces.add('text', choice?.delta?.content ?? choice?.delta?.refusal);
          if (request.tools) calls.add(choice?.delta?.tool_calls);
          reason = choice?.finish_reason ?? reason;
          usage = usageIn(event) ?? usage;
          tier = tierIn(event) ?? tier;
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
  if (reason === 'length' || reason === 'content_filter') return { reason, usage, tier };
  calls.takeAll();
  pieces.passOn();
  return { reason: 'complete', usage, tier };
}
