import type { Assistant } from '@roster/contracts/assistants';
import type { ChatCompletion } from '@roster/contracts/openai-api/chat-completions';
import { z } from 'zod';
import type { Knowledge } from '#server/features/assistants/knowledge/service';
import type { AssistantModels } from '#server/features/openai-api/assistant-models';
import { noModel } from '#server/features/openai-api/models/feature';
import type { Catalogue } from '#server/provider/catalogue';
import { ProviderError } from '#server/provider/error';
import type { FileSearch, Provider } from '#server/provider/provider';
import { formatOfSchema } from '#server/provider/schema-format';
import type { Secret } from '#server/security/secret';
import type { AssistantSettings } from './request.ts';

type Dependencies = {
  assistantModels: Pick<AssistantModels, 'find'>;
  findAssistant: (userId: number, assistantId: number) => Promise<Assistant | undefined>;
  knowledgeOf: (userId: number, assistantId: number) => Promise<Knowledge>;
  vectorStores: Pick<Provider['vectorStores'], 'search'>;
  catalogue: Pick<Catalogue, 'parameters'>;
};

const queryLimit = 4_000;

const TextPart = z.object({ type: z.literal('text'), text: z.string() });
const Question = z.object({ role: z.literal('user'), content: z.union([z.string(), z.array(z.unknown())]) });

/** The words of the last message that a person has written. */
export function questionOf(messages: ChatCompletion['messages']): string {
  for (const message of messages.toReversed()) {
    const question = Question.safeParse(message);
    if (!question.success) continue;
    const { content } = question.data;
    if (typeof content === 'string') return content;
    return content.flatMap((part) => TextPart.safeParse(part).data?.text ?? []).join('\n');
  }
  return '';
}

/** What an assistant brings along to a program's request: instructions, settings, and what its files say about the question. */
export function assistantSettings({
  assistantModels,
  findAssistant,
  knowledgeOf,
  vectorStores,
  catalogue,
}: Dependencies) {
  /** Passages stand in the request itself, so that every field of it goes on meaning what it says. */
  async function passages(search: FileSearch, apiKey: Secret, question: string): Promise<string[]> {
    const found = [];
    for (const storeId of search.storeIds)
      found.push(...(await vectorStores.search(apiKey, storeId, { query: question.slice(0, queryLimit) })));
    if (found.length === 0) return [];
    const texts = found.map(
      ({ fileId, filename, text }) => `[${search.files.get(fileId)?.filename ?? filename}]\n${text}`,
    );
    return [
      `Passages of your files that may answer the question. Name the file of what you use.\n\n${texts.join('\n\n')}`,
    ];
  }

  /** An answer never fails for its files: what could not be searched is told. */
  async function fromFiles(userId: number, assistant: Assistant, apiKey: Secret, question: string) {
    if (assistant.files === 0) return { system: [], notes: [] };
    const { search, notes } = await knowledgeOf(userId, assistant.id);
    if (!search || question.trim() === '') return { system: [], notes };
    try {
      return { system: await passages(search, apiKey, question), notes };
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (error.code === 'store_gone') search.onRefused();
      return { system: [], notes: [...notes, `The assistant’s files could not be searched: ${error.message}`] };
    }
  }

  return async (
    userId: number,
    asked: { model: string; question: string },
    apiKey: Secret,
  ): Promise<AssistantSettings> => {
    const named = await assistantModels.find(userId, asked.model);
    const assistant = named && (await findAssistant(userId, named.assistantId));
    if (!assistant) throw noModel(asked.model);
    const { id: assistantId, model, instructions, temperature, reasoningEffort, responseSchema } = assistant;
    const { system, notes } = await fromFiles(userId, assistant, apiKey, asked.question);
    return {
      assistantId,
      model,
      system: [...(instructions ? [instructions] : []), ...system],
      ...catalogue.parameters(model, { temperature, effort: reasoningEffort }),
      format: responseSchema === null ? null : formatOfSchema(responseSchema),
      notes,
    };
  };
}

export type SettingsOf = ReturnType<typeof assistantSettings>;
