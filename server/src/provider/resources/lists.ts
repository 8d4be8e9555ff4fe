import { providerNameIn } from '@roster/contracts/provider-name';
import { z } from 'zod';
import type { Provider, ProviderAssistant, ProviderModel } from '#server/provider/provider';
import { ProviderError } from '#server/provider/transport/error';
import { isErrorValue } from '#server/provider/transport/error-fields';
import { toStreamError } from '#server/provider/transport/failures';
import { listLimit, type ProviderHttp } from '#server/provider/transport/http';
import { interactiveMs } from '#server/provider/transport/timeouts';
import type { Secret } from '#server/security/secret';
import { modelListLimit, parseModels } from './model-list.ts';

const maxPages = 20;

const AssistantPage = z.object({
  data: z.array(z.looseObject({ id: z.string().min(1).max(200) })),
  has_more: z.boolean().catch(false),
});

const unreadable = (what: string, cause: unknown) =>
  new ProviderError('provider_unavailable', `The provider’s list of ${what} could not be read.`, { cause });

/** Lists from the provider: the models of a key, and assistants to import. */
export function providerLists(http: ProviderHttp, providerName: string): Pick<Provider, 'models' | 'assistants'> {
  async function models(apiKey: Secret, withinMs: number): Promise<ProviderModel[]> {
    const call = { method: 'GET', path: '/models', apiKey, limit: modelListLimit } as const;
    const answer = await http.json({ ...call, withinMs });
    const found = parseModels(answer);
    if (found) return found;
    // Some providers report errors with status 200.
    throw isErrorValue(answer) ? toStreamError(answer, apiKey) : unreadable('models', undefined);
  }

  async function allPages(apiKey: Secret, source: ProviderAssistant['source']): Promise<ProviderAssistant[]> {
    const found: ProviderAssistant[] = [];
    const headers = { 'openai-beta': source === 'assistants' ? 'assistants=v2' : 'agents=v1' };
    let after = '';
    for (let number = 0; number < maxPages; number++) {
      const path = `/${source}?limit=100&order=desc${after && `&after=${encodeURIComponent(after)}`}`;
      const call = {
        method: 'GET',
        path,
        apiKey,
        headers,
        retries: 0,
        limit: listLimit,
        withinMs: interactiveMs,
      } as const;
      const page = AssistantPage.safeParse(await http.json(call));
      if (!page.success) throw unreadable(source, page.error);
      found.push(...page.data.data.map((raw) => ({ id: raw.id, source, raw })));
      after = page.data.data.at(-1)?.id ?? '';
      if (!page.data.has_more || !after) break;
    }
    return found;
  }

  /** One list is used even if the provider lacks the other one, or the key may not read it. */
  const listOrRefusal = (apiKey: Secret, source: ProviderAssistant['source']) =>
    allPages(apiKey, source).catch((error: unknown) => {
      const isRefusal = error instanceof ProviderError && ['not_served', 'missing_scope'].includes(error.code);
      if (isRefusal) return error;
      throw error;
    });

  async function assistants(apiKey: Secret): Promise<ProviderAssistant[]> {
    const lists = await Promise.all([listOrRefusal(apiKey, 'assistants'), listOrRefusal(apiKey, 'agents')]);
    const found = lists.filter((list) => Array.isArray(list));
    if (found.length > 0) return found.flat();
    const missingScope = lists.find((list) => list instanceof ProviderError && list.code === 'missing_scope');
    if (missingScope instanceof ProviderError) throw missingScope;
    throw new ProviderError(
      'not_served',
      `${providerNameIn('beginning', providerName)} has no list of assistants to import from. OpenAI retired its Assistants API on August 26, 2026; a JSON file of your assistants can be imported instead.`,
    );
  }

  return { models, assistants };
}
