import type { ModelMark } from '@roster/contracts/models/models';
import { tidyName } from '@roster/contracts/text/name';
import { z } from 'zod';
import { isObject } from '#server/lib/is-object';
import { DescribedModel, descriptionOf, type ListedPrice } from './model-description.ts';

/** The last second that a date can represent. */
const lastSecond = 253_402_300_799;

export type ProviderModel = {
  id: string;
  shutdownDate: string | null;
  /** null: not reported by the provider. */
  chats: boolean | null;
  /** Unix seconds; omitted if not reported. */
  created?: number | undefined;
  /** Omitted if not reported. */
  ownedBy?: string | undefined;
  contextTokens?: number | undefined;
  /** USD per 1,000,000 tokens. Omitted if not reported. */
  price?: ListedPrice | undefined;
  marks?: ModelMark[] | undefined;
};

/** Large gateways list some thousand models, each with its description. */
export const modelListLimit = 32 * 1024 * 1024;
const maxModels = 20_000;
/** The id is sent unchanged, so one that looks like another model's is rejected. */
const Id = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((id) => tidyName(id) === id);

const ListedModel = z.object({
  // Lists in other forms use `name`.
  id: Id.optional().catch(undefined),
  name: Id.optional().catch(undefined),
  model: Id.optional().catch(undefined),
  shutdown_date: z.iso.date().nullish().catch(null),
  created: z.number().int().min(0).max(lastSecond).optional().catch(undefined),
  owned_by: z.string().max(100).optional().catch(undefined),
  // Capabilities are in one of these fields, or missing.
  type: z.string().nullish().catch(null),
  capabilities: z
    .looseObject({
      completion_chat: z.boolean().optional().catch(undefined),
      function_calling: z.boolean().optional().catch(undefined),
      vision: z.boolean().optional().catch(undefined),
    })
    .nullish()
    .catch(null),
  architecture: z
    .looseObject({
      output_modalities: z.array(z.string()).optional().catch(undefined),
      input_modalities: z.array(z.string()).optional().catch(undefined),
    })
    .nullish()
    .catch(null),
  ...DescribedModel.shape,
});
type ListedModel = z.output<typeof ListedModel>;

/**
 * The entries of a list with or without its envelope; undefined: not a list. Some languages write an empty list as
 * `null`.
 */
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
  const described = descriptionOf(parsed.data);
  return [
    {
      id: named,
      shutdownDate: shutdownDate ?? null,
      chats: saysThatItChats(parsed.data),
      created,
      ownedBy,
      ...described,
    },
  ];
}

/** The models of a list; an invalid entry does not affect the others. undefined: nothing is readable. */
export function parseModels(answer: unknown): ProviderModel[] | undefined {
  const entries = entriesOf(answer);
  const found = entries?.slice(0, maxModels).flatMap(modelOf);
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
