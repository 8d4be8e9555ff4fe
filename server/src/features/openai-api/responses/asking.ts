import type { HostedTool } from '@roster/contracts/assistant-tools';
import { withoutHosted } from '#server/features/openai-api/joined-tools';
import { withoutRefused } from '#server/features/openai-api/refused-additions';
import { isObject } from '#server/is-object';
import type { Catalogue } from '#server/provider/catalogue';
import { ProviderError } from '#server/provider/error';
import type { Provider } from '#server/provider/provider';
import { doesNotServe, refusedTool, toolLeftOut } from '#server/provider/served-tools';
import type { Secret } from '#server/security/secret';
import type { Answered } from './answer.ts';
import { responsesRequest } from './as-responses.ts';
import { chatRequest } from './chat-request.ts';
import type { ResponseOrder } from './order.ts';

type Dependencies = {
  provider: Pick<Provider, 'relay' | 'responses' | 'toolRefused'>;
  catalogue: Pick<Catalogue, 'leastEffort'>;
};

type How = { apiKey: Secret; streams: boolean; signal: AbortSignal };
type Noted = Answered & { notes: string[] };

const isAboutFile = ({ codeFiles }: ResponseOrder, error: ProviderError) => codeFiles.areNamed && error.isFileGone;

const draws = (tools: unknown) =>
  Array.isArray(tools) && tools.some((tool) => isObject(tool) && tool.type === 'image_generation');

/** Asks by Responses, without those tools of an assistant that the model refuses. @throws ProviderError */
function askingByResponses({ provider, catalogue }: Dependencies) {
  async function askWith(order: ResponseOrder, tools: unknown, { streams, ...call }: How): Promise<Answered> {
    const write = responsesRequest(order, tools, catalogue);
    const { relayed } = await withoutRefused(
      (refused: Parameters<typeof write>[0]) => write(refused, streams),
      (text) => provider.relay({ ...call, path: '/responses', streams, draws: draws(tools), text }),
    );
    return { ...relayed, speaks: 'responses' };
  }

  async function ask(order: ResponseOrder, how: How): Promise<Noted> {
    const { model, notes, tools: joined } = order;
    const all = await order.codeFiles.inTools(order.searched.tools, how.signal);
    const refused = new Set<HostedTool>();
    for (;;) {
      try {
        const answered = await askWith(order, withoutHosted(all, refused), how);
        return {
          ...answered,
          notes: [...notes, ...[...refused].map((name) => toolLeftOut(name, doesNotServe(model)))],
        };
      } catch (error) {
        if (error instanceof ProviderError && isAboutFile(order, error)) throw error;
        const tool = refusedTool(error, joined, refused);
        if (tool === undefined) throw error;
        refused.add(tool);
        await provider.toolRefused(model, tool);
      }
    }
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
    const { relayed } = await withoutRefused(write, (text) => provider.relay({ ...call, streams: true, text }));
    return { ...relayed, speaks: 'chat', notes: [...order.notes, ...notes] };
  }

  return {
    byResponses,
    /** @throws ProviderError, or ApiRefusal for what the provider cannot be asked */
    async ask(order: ResponseOrder, how: How): Promise<Noted> {
      const { areServed, areNotServed } = provider.responses;
      const wereServed = areServed();
      if (wereServed)
        try {
          return await byResponses(order, how);
        } catch (error) {
          if (!(error instanceof ProviderError)) throw error;
          if (error.code === 'store_gone') throw order.searched.gone(error);
          if (error.code !== 'not_served' || isAboutFile(order, error)) throw error;
        }
      const answered = await byChat(order, how);
      if (wereServed) await areNotServed();
      return answered;
    },
  };
}

export type ResponseAsking = ReturnType<typeof responseAsking>;
