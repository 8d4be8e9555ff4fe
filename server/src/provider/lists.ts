import { providerIn } from '@roster/contracts/provider-name';
import { z } from 'zod';
import { isObject } from '#server/is-object';
import type { Secret } from '#server/security/secret';
import { ProviderError } from './error.ts';
import { isErrorValue } from './error-fields.ts';
import { failureInStream } from './failures.ts';
import { listLimit, type ProviderHttp } from './http.ts';
import type { Provider, ProviderAssistant, ProviderModel } from './provider.ts';
import { pressedMs } from './times.ts';

const pagesAtMost = 20;

/** The last second that a date can be written for. */
const lastSecond = 253_402_300_799;

/** A key of a large gateway lists some thousand models, each with its description. */
export const modelListLimit = 32 * 1024 * 1024;
const modelsAtMost = 20_000;
const Id = z.string().trim().min(1).max(200);

const ListedModel = z.object({
  // Lists of other forms name a model so.
  id: Id.optional().catch(undefined),
  name: Id.optional().catch(undefined),
  model: Id.optional().catch(undefined),
  shutdown_date: z.iso.date().nullish().catch(null),
  created: z.number().int().min(0).max(lastSecond).optional().catch(undefined),
  owned_by: z.string().max(100).optional().catch(undefined),
  // Abilities are told in one of these fields, or not at all.
  type: z.string().nullish().catch(null),
  capabilities: z
    .looseObject({ completion_chat: z.boolean().optional().catch(undefined) })
    .nullish()
    .catch(null),
  architecture: z
    .looseObject({ output_modalities: z.array(z.string()).optional().catch(undefined) })
    .nullish()
    .catch(null),
});
type ListedModel = z.output<typeof ListedModel>;

/** The entries of a list with or without its envelope; undefined: it is no list. An empty one is `null` in some languages. */
function entriesOf(answer: unknown): unknown[] | undefined {
  if (answer === null) return [];
  if (Array.isArray(answer)) return answer;
  if (!isObject(answer)) return undefined;
  const list = [answer.data, answer.models].find((one) => Array.isArray(one));
  if (Array.isArray(list)) return list;
  return answer.data === null || answer.models === null ? [] : undefined;
}

function modelOf(entry: unknown): ProviderModel[] {
  const parsed = ListedModel.safeParse(typeof entry === 'string' ? { id: entry } : entry);
  if (!parsed.success) return [];
  const { id, name, model, shutdown_date: shutdownDate, created, owned_by: ownedBy } = parsed.data;
  const named = id ?? model ?? name;
  if (named === undefined) return [];
  return [{ id: named, shutdownDate: shutdownDate ?? null, chats: saysThatItChats(parsed.data), created, ownedBy }];
}

/** The models of a list; one odd entry takes nothing from the others. undefined: there is nothing that can be read. */
export function modelsIn(answer: unknown): ProviderModel[] | undefined {
  const entries = entriesOf(answer);
  const found = entries?.slice(0, modelsAtMost).flatMap(modelOf);
  if (!entries || !found || (found.length === 0 && entries.length > 0)) return undefined;
  return [...new Map(found.map((model) => [model.id, model])).values()];
}

function saysThatItChats({ type, capabilities, architecture }: ListedModel): boolean | null {
  if (capabilities?.completion_chat !== undefined) return capabilities.completion_chat;
  const writes = architecture?.output_modalities;
  if (writes !== undefined) return writes.includes('text');
  if (type && /^(chat|llm|vlm|language|text-generation)$/i.test(type)) return true;
  return type && /embed|image|audio|video|speech|transcri|moderation|rerank|tts/i.test(type) ? false : null;
}

const AssistantPage = z.object({
  data: z.array(z.looseObject({ id: z.string().min(1).max(200) })),
  has_more: z.boolean().catch(false),
});

const unreadable = (what: string, cause: unknown) =>
  new ProviderError('provider_unavailable', `The provider’s list of ${what} could not be read.`, { cause });

/** Lists of the provider: the models of a key, and what can be imported. */
export function providerLists(http: ProviderHttp, providerName: string): Pick<Provider, 'models' | 'assistants'> {
  async function models(apiKey: Secret, withinMs: number): Promise<ProviderModel[]> {
    const call = { method: 'GET', path: '/models', apiKey, limit: modelListLimit } as const;
    const answer = await http.json({ ...call, withinMs });
    const found = modelsIn(answer);
    if (found) return found;
    // Some say with status 200 what was wrong.
    throw isErrorValue(answer) ? failureInStream(answer, apiKey) : unreadable('models', undefined);
  }

  async function allPages(apiKey: Secret, source: ProviderAssistant['source']): Promise<ProviderAssistant[]> {
    const found: ProviderAssistant[] = [];
    const headers = { 'openai-beta': source === 'assistants' ? 'assistants=v2' : 'agents=v1' };
    let after = '';
    for (let number = 0; number < pagesAtMost; number++) {
      const path = `/${source}?limit=100&order=desc${after && `&after=${encodeURIComponent(after)}`}`;
      const call = { method: 'GET', path, apiKey, headers, retries: 0, limit: listLimit, withinMs: pressedMs } as const;
      const page = AssistantPage.safeParse(await http.json(call));
      if (!page.success) throw unreadable(source, page.error);
      found.push(...page.data.data.map((raw) => ({ id: raw.id, source, raw })));
      after = page.data.data.at(-1)?.id ?? '';
      if (!page.data.has_more || !after) break;
    }
    return found;
  }

  /** One list is used even if the provider does not serve the other one, or the key may not read it. */
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
      `${providerIn('beginning', providerName)} has no list of assistants to import from. OpenAI retired its Assistants API on August 26, 2026; a JSON file of your assistants can be imported instead.`,
    );
  }

  return { models, assistants };
}
