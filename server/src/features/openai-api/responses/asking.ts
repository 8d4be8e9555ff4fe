import type { HostedTool } from '@roster/contracts/assistant-tools';
import { withoutHosted } from '#server/features/openai-api/joined-tools';
import { toldToProgram } from '#server/features/openai-api/provider-failure';
import { withoutRefused } from '#server/features/openai-api/refused-additions';
import { isObject } from '#server/is-object';
import type { Catalogue } from '#server/provider/catalogue';
import { ProviderError } from '#server/provider/error';
import { mayHaveNoResponses } from '#server/provider/no-responses';
import type { Provider } from '#server/provider/provider';
import { refusedTool, type ToolRefusal, toolLeftOut } from '#server/provider/served-tools';
import type { Secret } from '#server/security/secret';
import type { Answered } from './answer.ts';
import { responsesRequest } from './as-responses.ts';
import { chatRequest } from './chat-request.ts';
import type { ResponseOrder } from './order.ts';

type Dependencies = {
  provider: Pick<Provider, 'relay' | 'responses' | 'toolRefused' | 'refusedFields'>;
  catalogue: Pick<Catalogue, 'leastEffort'>;
};

type How = { apiKey: Secret; streams: boolean; signal: AbortSignal };
type Noted = Answered & { notes: string[] };

/** True if the provider may not serve Responses at all, rather than lack a file that the request names. */
export const areNotServed = ({ codeFiles }: ResponseOrder, error: unknown): error is ProviderError =>
  mayHaveNoResponses(error) && !(codeFiles.areNamed && error.isFileGone);

/** If Chat Completions are not served either, the first refusal is the better reason. */
export async function insteadOf<Answer>(refusal: ProviderError, byChat: () => Promise<Answer>): Promise<Answer> {
  try {
    return await byChat();
  } catch (error) {
    const isNeither = error instanceof ProviderError && error.code === 'not_served';
    throw isNeither && refusal.code !== 'not_served' ? refusal : error;
  }
}

const draws = (tools: unknown) =>
  Array.isArray(tools) && tools.some((tool) => isObject(tool) && tool.type === 'image_generation');

/** The tools, with files as the provider knows them. @throws where one cannot be brought there: nothing has been asked by then */
async function filesIn({ codeFiles, searched }: ResponseOrder, signal: AbortSignal): Promise<unknown> {
  try {
    return await codeFiles.inTools(searched.tools, signal);
  } catch (error) {
    throw toldToProgram(error);
  }
}

/** Asks by Responses, without those tools of an assistant that the model refuses. @throws ProviderError */
function askingByResponses({ provider, catalogue }: Dependencies) {
  async function askWith(order: ResponseOrder, tools: unknown, { streams, ...call }: How): Promise<Noted> {
    const write = responsesRequest(order, tools, catalogue);
    const { relayed, notes } = await withoutRefused({
      model: order.model,
      apiKey: call.apiKey,
      provider,
      write: (refused: Parameters<typeof write>[0]) => write(refused, streams),
      relay: (text) => provider.relay({ ...call, path: '/responses', streams, draws: draws(tools), text }),
    });
    return { ...relayed, speaks: 'responses', notes };
  }

  async function ask(order: ResponseOrder, how: How): Promise<Noted> {
    const { model, notes, tools } = order;
    const all = await filesIn(order, how.signal);
    const refused = new Map<HostedTool, ToolRefusal>();
    for (;;) {
      try {
        const answered = await askWith(order, withoutHosted(all, new Set(refused.keys())), how);
        return {
          ...answered,
          notes: [...notes, ...(await learned(model, [...refused.values()], how.apiKey)), ...answered.notes],
        };
      } catch (error) {
        const isOfFile = error instanceof ProviderError && order.codeFiles.areNamed && error.isFileGone;
        const refusal = isOfFile ? undefined : refusedTool(error, { model, ...tools }, new Set(refused.keys()));
        if (refusal === undefined) throw error;
        refused.set(refusal.tool, refusal);
      }
    }
  }

  /** Once the request is good without them. What the model has not is asked for no more. */
  async function learned(model: string, refusals: ToolRefusal[], apiKey: Secret): Promise<string[]> {
    for (const { tool, isOfModel } of refusals) if (isOfModel) await provider.toolRefused(model, tool, apiKey);
    return refusals.map(({ tool, why }) => toolLeftOut(tool, why));
  }

  /** A file for code that the provider does not have any more is brought there again, once. */
  return async (order: ResponseOrder, how: How): Promise<Noted> => {
    try {
      return await ask(order, how);
    } catch (error) {
      if (!order.codeFiles.areOurs || !(error instanceof ProviderError) || !error.isFileGone) throw error;
      await order.codeFiles.checked();
      return ask(order, how);
    }
  };
}

/** Asks the provider by Responses, or by Chat Completions where it serves no Responses. */
export function responseAsking(dependencies: Dependencies) {
  const { provider } = dependencies;
  const byResponses = askingByResponses(dependencies);

  /** Always as events, which say the most. */
  async function byChat(order: ResponseOrder, call: How): Promise<Noted> {
    const { notes, write } = chatRequest(order);
    const relay = (text: string) => provider.relay({ ...call, streams: true, text });
    const asked = await withoutRefused({ model: order.model, apiKey: call.apiKey, provider, write, relay });
    return { ...asked.relayed, speaks: 'chat', notes: [...order.notes, ...notes, ...asked.notes] };
  }

  return {
    byResponses,
    /** @throws ProviderError, or ApiRefusal for what the provider cannot be asked */
    async ask(order: ResponseOrder, how: How): Promise<Noted> {
      const { areServed, haveAnswered, areNotServed: learn } = provider.responses;
      if (!areServed(how.apiKey, order.model)) return byChat(order, how);
      try {
        const answered = await byResponses(order, how);
        await haveAnswered(how.apiKey, order.model);
        return answered;
      } catch (error) {
        if (error instanceof ProviderError && error.code === 'store_gone') throw order.searched.gone(error);
        if (!areNotServed(order, error)) throw error;
        const answered = await insteadOf(error, () => byChat(order, how));
        await learn(how.apiKey, order.model, error);
        return answered;
      }
    },
  };
}

export type ResponseAsking = ReturnType<typeof responseAsking>;
