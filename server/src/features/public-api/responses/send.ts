import type { BuiltInTool } from '@roster/contracts/assistants/tools';
import { withoutBuiltIn } from '#server/features/public-api/assistant-models/merge-tools';
import { publicFailure } from '#server/features/public-api/shared/provider-failure';
import { retryWithoutUnsupported } from '#server/features/public-api/shared/retry-without-unsupported';
import { isObject } from '#server/lib/is-object';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { Provider } from '#server/provider/provider';
import { mayLackResponses } from '#server/provider/responses/availability';
import { ProviderError } from '#server/provider/transport/error';
import { type UnsupportedTool, unsupportedToolIn, unsupportedToolNote } from '#server/provider/unsupported/tools';
import type { Secret } from '#server/security/secret';
import type { ProviderAnswer } from './answer.ts';
import { chatRequest } from './chat-request.ts';
import type { ParsedRequest } from './parse-request.ts';
import { responsesRequest } from './to-responses-request.ts';

export type SenderProvider = Pick<Provider, 'relay' | 'responses' | 'toolRefused' | 'refusedFields'>;

type ResponsesCall = { apiKey: Secret; streams: boolean; signal: AbortSignal };
type AnswerWithNotes = ProviderAnswer & { notes: string[] };

/** True if the provider may not serve Responses at all, rather than lack a file that the request names. */
export const isResponsesUnsupported = ({ codeFiles }: ParsedRequest, error: unknown): error is ProviderError =>
  mayLackResponses(error) && !(codeFiles.areNamed && error.isFileGone);

/** If Chat Completions are not served either, the first refusal explains more. */
export async function fallBackToChat<Answer>(refusal: ProviderError, byChat: () => Promise<Answer>): Promise<Answer> {
  try {
    return await byChat();
  } catch (error) {
    const isNeither = error instanceof ProviderError && error.code === 'not_served';
    throw isNeither && refusal.code !== 'not_served' ? refusal : error;
  }
}

const draws = (tools: unknown) =>
  Array.isArray(tools) && tools.some((tool) => isObject(tool) && tool.type === 'image_generation');

/** Tools with the provider's file ids. @throws if a file cannot be uploaded; nothing has been asked by then */
async function filesIn({ codeFiles, searched }: ParsedRequest, signal: AbortSignal): Promise<unknown> {
  try {
    return await codeFiles.inTools(searched.tools, signal);
  } catch (error) {
    throw publicFailure(error);
  }
}

/** Asks by Responses, without the assistant's tools that the model refuses. @throws ProviderError */
function askingByResponses(provider: SenderProvider, catalogue: Pick<Catalogue, 'leastEffort'>) {
  async function askWith(
    order: ParsedRequest,
    tools: unknown,
    { streams, ...call }: ResponsesCall,
  ): Promise<AnswerWithNotes> {
    const write = responsesRequest(order, tools, catalogue);
    const { relayed, notes } = await retryWithoutUnsupported({
      model: order.model,
      apiKey: call.apiKey,
      provider,
      write: (refused: Parameters<typeof write>[0]) => write(refused, streams),
      relay: (text) => provider.relay({ ...call, path: '/responses', streams, draws: draws(tools), text }),
    });
    return { ...relayed, speaks: 'responses', notes };
  }

  async function ask(order: ParsedRequest, how: ResponsesCall): Promise<AnswerWithNotes> {
    const { model, notes, tools } = order;
    const all = await filesIn(order, how.signal);
    const refused = new Map<BuiltInTool, UnsupportedTool>();
    for (;;) {
      try {
        const answered = await askWith(order, withoutBuiltIn(all, new Set(refused.keys())), how);
        return {
          ...answered,
          notes: [...notes, ...(await learned(model, [...refused.values()], how.apiKey)), ...answered.notes],
        };
      } catch (error) {
        const isOfFile = error instanceof ProviderError && order.codeFiles.areNamed && error.isFileGone;
        const refusal = isOfFile ? undefined : unsupportedToolIn(error, { model, ...tools }, new Set(refused.keys()));
        if (refusal === undefined) throw error;
        refused.set(refusal.tool, refusal);
      }
    }
  }

  /** Called once the request has succeeded without them. Tools that the model lacks are not requested again. */
  async function learned(model: string, refusals: UnsupportedTool[], apiKey: Secret): Promise<string[]> {
    for (const { tool, isOfModel } of refusals) if (isOfModel) await provider.toolRefused(model, tool, apiKey);
    return refusals.map(({ tool, why }) => unsupportedToolNote(tool, why));
  }

  /** A code file that the provider has lost is uploaded again, once. */
  return async (order: ParsedRequest, how: ResponsesCall): Promise<AnswerWithNotes> => {
    try {
      return await ask(order, how);
    } catch (error) {
      if (!order.codeFiles.areOurs || !(error instanceof ProviderError) || !error.isFileGone) throw error;
      await order.codeFiles.checked();
      return ask(order, how);
    }
  };
}

/** Asks the provider by Responses, or by Chat Completions if it serves no Responses. */
export function responseSender(provider: SenderProvider, catalogue: Pick<Catalogue, 'leastEffort'>) {
  const byResponses = askingByResponses(provider, catalogue);

  /** Always streams: events say the most. */
  async function byChat(order: ParsedRequest, call: ResponsesCall): Promise<AnswerWithNotes> {
    const { notes, write } = chatRequest(order);
    const relay = (text: string) => provider.relay({ ...call, streams: true, text });
    const sent = await retryWithoutUnsupported({ model: order.model, apiKey: call.apiKey, provider, write, relay });
    return { ...sent.relayed, speaks: 'chat', notes: [...order.notes, ...notes, ...sent.notes] };
  }

  return {
    byResponses,
    /** @throws ProviderError, or PublicApiError for what the provider cannot be asked */
    async ask(order: ParsedRequest, how: ResponsesCall): Promise<AnswerWithNotes> {
      const { areServed, haveAnswered, areNotServed: learn } = provider.responses;
      if (!areServed(how.apiKey, order.model)) return byChat(order, how);
      try {
        const answered = await byResponses(order, how);
        await haveAnswered(how.apiKey, order.model);
        return answered;
      } catch (error) {
        if (error instanceof ProviderError && error.code === 'store_gone') throw order.searched.gone(error);
        if (!isResponsesUnsupported(order, error)) throw error;
        const answered = await fallBackToChat(error, () => byChat(order, how));
        await learn(how.apiKey, order.model, error);
        return answered;
      }
    },
  };
}

export type ResponseSender = ReturnType<typeof responseSender>;
