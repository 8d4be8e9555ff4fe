import { connectionIdOf } from '@roster/contracts/models/model-reference';
import type { Knowledge } from '#server/features/assistants/knowledge/service';
import type { FullApiRun as StoredRun } from '#server/features/chat/api-threads/runs';
import type { ChatTarget } from '#server/features/chat/shared/chat-target';
import type { AssistantSearch } from '#server/features/public-api/assistant-models/assistant-search';
import { numbersIn } from '#server/features/public-api/assistants/tool-resources';
import type { FileIds } from '#server/features/public-api/files/file-ids';
import { refuseSearchElsewhere } from '#server/features/public-api/shared/search-elsewhere';
import type { AnswerTools } from '#server/provider/answer-tools';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { RunOptions } from './options.ts';

type Dependencies = {
  catalogue: Pick<Catalogue, 'parameters'>;
  searchOf: AssistantSearch;
  fileIds: Pick<FileIds, 'numbersOf'>;
};

/** Tokens that a chain of runs has used so far. */
type SpentTokens = { promptTokens: number; completionTokens: number };

export const spentBy = ({ parts }: Pick<StoredRun, 'parts'>): SpentTokens => ({
  promptTokens: parts.reduce((sum, { usage }) => sum + (usage?.inputTokens ?? 0), 0),
  completionTokens: parts.reduce((sum, { usage }) => sum + (usage?.outputTokens ?? 0), 0),
});

/** The provider accepts no smaller limit. */
const leastTokens = 16;

const leftOf = (limit: number | null, used: number) => (limit === null ? null : limit - used);

/** The limit that a chain has reached before its next answer. */
export function limitReached(
  { max_prompt_tokens: prompt, max_completion_tokens: completion }: RunOptions,
  spent: SpentTokens,
) {
  if ((leftOf(prompt, spent.promptTokens) ?? 1) <= 0) return 'max_prompt_tokens' as const;
  const left = leftOf(completion, spent.completionTokens);
  return left !== null && left < leastTokens ? ('max_completion_tokens' as const) : undefined;
}

/** Once functions have answered, the model may choose: it has made the required call. */
function choiceFor({ tool_choice: choice }: RunOptions, isFirst: boolean): AnswerTools['choice'] {
  if (!isFirst && choice !== 'none') return 'auto';
  if (typeof choice === 'string') return choice;
  return choice.type === 'function' ? { function: choice.function.name } : choice.type;
}

/** Search is required: without its sources a run is useless. */
async function knowledgeFor(
  { searchOf }: Dependencies,
  userId: number,
  { assistantId, model, tools, tool_resources: resources }: RunOptions,
): Promise<Knowledge> {
  const storeIds = resources.file_search?.vector_store_ids ?? [];
  const { search, notes } = await searchOf(userId, { assistantId, tools, storeIds });
  if (search) refuseSearchElsewhere(model, 'model');
  return { search: search && { ...search, isNeeded: true }, notes };
}

/** Files that still exist. */
async function codeFilesOf({ fileIds }: Dependencies, userId: number, { tool_resources: resources }: RunOptions) {
  const named = resources.code_interpreter?.file_ids ?? [];
  return named.length > 0 ? numbersIn(named, await fileIds.numbersOf(userId, named)) : [];
}

/** A search is required, and only the installation's provider has it. */
function fallbackFor({ model, fallback }: RunOptions, { search }: Knowledge): string | null {
  if (fallback === null || fallback === model) return null;
  return search && connectionIdOf(fallback) !== null ? null : fallback;
}

/** Resolves what answers an API run. */
export function createTargetResolver(dependencies: Dependencies) {
  return async function chatTargetFor(
    userId: number,
    options: RunOptions,
    /** Tokens that the earlier answers of a resumed run have used. */
    before?: SpentTokens,
  ): Promise<ChatTarget> {
    const spent = before ?? { promptTokens: 0, completionTokens: 0 };
    const {
      model,
      instructions,
      variables,
      tools,
      temperature,
      reasoning_effort: effort,
      response_format: format,
    } = options;
    const knowledge = await knowledgeFor(dependencies, userId, options);
    const functions = tools.flatMap((tool) => (tool.type === 'function' ? [tool.function] : []));
    const runsCode = tools.some(({ type }) => type === 'code_interpreter');
    const codeFiles = runsCode ? await codeFilesOf(dependencies, userId, options) : [];
    const choice = choiceFor(options, before === undefined);
    const isSearching = choice !== 'file_search' || knowledge.search !== undefined;
    const { type, last_messages: last = null } = options.truncation_strategy;
    const left = leftOf(options.max_completion_tokens, spent.completionTokens);
    const request = {
      maxOutputTokens: left ?? undefined,
      format: format === 'auto' ? undefined : format,
      tools:
        tools.length === 0
          ? undefined
          : {
              functions,
              codeInterpreter: runsCode ? { fileIds: [] } : null,
              choice: isSearching ? choice : 'auto',
              isParallel: options.parallel_tool_calls,
            },
      codeFiles,
      limits: {
        lastMessages: type === 'last_messages' ? last : null,
        tokens: leftOf(options.max_prompt_tokens, spent.promptTokens),
      },
    };
    const answeredBy = (name: string) => {
      const parameters = dependencies.catalogue.parameters(name, { temperature, effort });
      // 1 is the provider's default. A model that accepts no temperature accepts no other value here either.
      const topP = options.top_p === 1 || parameters.temperature === null ? null : options.top_p;
      return { model: name, ...parameters, knowledge, apiRequest: { ...request, topP } };
    };
    const fallback = before === undefined ? fallbackFor(options, knowledge) : null;
    return {
      assistantId: options.assistantId,
      assistantVersion: options.assistantVersion,
      instructions,
      variables,
      schema: null,
      ...answeredBy(model),
      ...(fallback !== null && { fallback: answeredBy(fallback) }),
    };
  };
}
