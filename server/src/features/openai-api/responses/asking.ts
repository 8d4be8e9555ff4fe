import { refusedAddition } from '#server/features/openai-api/chat-completions/request';
import type { Catalogue } from '#server/provider/catalogue';
import { ProviderError } from '#server/provider/error';
import type { Provider } from '#server/provider/provider';
import type { Relayed } from '#server/provider/relay';
import type { Secret } from '#server/security/secret';
import type { Answered } from './answer.ts';
import { responsesRequest } from './as-responses.ts';
import { chatRequest } from './chat-request.ts';
import type { ResponseOrder } from './order.ts';

type Dependencies = {
  provider: Pick<Provider, 'relay' | 'responses'>;
  catalogue: Pick<Catalogue, 'leastEffort'>;
};

type How = { apiKey: Secret; streams: boolean; signal: AbortSignal };

/** Asks; what Roster has added of itself and is refused is left out. */
async function withoutRefused<Name extends string>(
  write: (refused: ReadonlySet<Name>) => { text: string; added: ReadonlySet<Name> },
  relay: (text: string) => Promise<Relayed>,
): Promise<Relayed> {
  const refused = new Set<Name>();
  for (;;) {
    const { text, added } = write(refused);
    try {
      return await relay(text);
    } catch (error) {
      const addition = error instanceof ProviderError ? refusedAddition(error, added) : undefined;
      if (addition === undefined) throw error;
      refused.add(addition);
    }
  }
}

const isAboutFile = ({ codeFiles }: ResponseOrder, error: ProviderError) => codeFiles.areNamed && error.isFileGone;

/** Asks the provider by Responses, or by Chat Completions where it serves no Responses. */
export function responseAsking({ provider, catalogue }: Dependencies) {
  async function byResponses(order: ResponseOrder, { streams, ...call }: How): Promise<Answered> {
    const tools = await order.codeFiles.inTools(order.searched.tools, call.signal);
    const write = responsesRequest(order, tools, catalogue);
    const relayed = await withoutRefused(
      (refused: Parameters<typeof write>[0]) => write(refused, streams),
      (text) => provider.relay({ ...call, path: '/responses', streams, text }),
    );
    return { ...relayed, speaks: 'responses' };
  }

  /** A file for code that the provider does not have any more is brought there again, once. */
  async function withCodeFiles(order: ResponseOrder, how: How): Promise<Answered> {
    try {
      return await byResponses(order, how);
    } catch (error) {
      if (!order.codeFiles.areOurs || !(error instanceof ProviderError) || !error.isFileGone) throw error;
      await order.codeFiles.checked();
      return byResponses(order, how);
    }
  }

  /** Always as events, which say the most. */
  async function byChat(order: ResponseOrder, call: How): Promise<Answered & { notes: string[] }> {
    const { notes, write } = chatRequest(order);
    const relayed = await withoutRefused(write, (text) => provider.relay({ ...call, streams: true, text }));
    return { ...relayed, speaks: 'chat', notes };
  }

  /** @throws ProviderError, or ApiRefusal for what the provider cannot be asked */
  return async (order: ResponseOrder, how: How): Promise<Answered & { notes: string[] }> => {
    const { areServed, areNotServed } = provider.responses;
    const wereServed = areServed();
    if (wereServed)
      try {
        return { ...(await withCodeFiles(order, how)), notes: order.notes };
      } catch (error) {
        if (!(error instanceof ProviderError)) throw error;
        if (error.code === 'store_gone') throw order.searched.gone(error);
        if (error.code !== 'not_served' || isAboutFile(order, error)) throw error;
      }
    const answered = await byChat(order, how);
    if (wereServed) await areNotServed();
    return { ...answered, notes: [...order.notes, ...answered.notes] };
  };
}
