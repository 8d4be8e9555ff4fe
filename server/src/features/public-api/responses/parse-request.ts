import type { ResponseItem, ResponseRequest } from '@roster/contracts/public-api/responses';
import type {
  AssistantSettings,
  BudgetCheck,
  ResolveAssistantSettings,
} from '#server/features/public-api/assistant-models/assistant-settings';
import { type MergedTools, mergeTools } from '#server/features/public-api/assistant-models/merge-tools';
import type { AssistantModels } from '#server/features/public-api/shared/assistant-models';
import { estimateInputTokens } from '#server/features/public-api/shared/input-tokens';
import { refuseSearchElsewhere } from '#server/features/public-api/shared/search-elsewhere';
import { isObject } from '#server/lib/is-object';
import type { Provider } from '#server/provider/provider';
import type { Secret } from '#server/security/secret';
import type { CodeFiles, createCodeFileResolver } from './code-files.ts';
import type { FileNames } from './file-names.ts';
import type { ResponseHistory } from './history.ts';
import type { RenameFile } from './item-files.ts';
import { type StoredItem, toInputItems, toStoredItem } from './items.ts';
import type { ProviderNames } from './provider-names.ts';
import type { SearchTargets, searchStores } from './search-stores.ts';

/** A parsed request: what to ask of which model, and what to store. */
export type ParsedRequest = {
  body: ResponseRequest;
  /** The provider's model. */
  model: string;
  assistant: AssistantSettings | null;
  /** Instructions of the assistant and of the client. */
  instructions: string | null;
  /** As the model reads it: earlier items, and those of the request. */
  input: string | ResponseItem[];
  /** Tools of the client and of the assistant. */
  tools: MergedTools;
  searched: SearchTargets;
  codeFiles: CodeFiles;
  /** File names for the answer; undefined if it can cite none. */
  naming: RenameFile | undefined;
  /** New items, in their stored form. */
  kept: StoredItem[];
  previousId: number | null;
  isStored: boolean;
  isBackground: boolean;
  isOfFallback: boolean;
  inputTokens: number;
  notes: string[];
};

type Dependencies = {
  provider: Pick<Provider, 'lacksTool'>;
  history: ResponseHistory;
  assistantModels: Pick<AssistantModels, 'isNamed'>;
  settingsOf: ResolveAssistantSettings;
  names: ProviderNames;
  searchedBy: ReturnType<typeof searchStores>;
  codeFilesBy: ReturnType<typeof createCodeFileResolver>;
  fileNames: FileNames;
};

type For = {
  apiKey: Secret;
  check: BudgetCheck;
  /** Set if the assistant's fallback is asked. */
  outage?: string | undefined;
  /** Settings of the named assistant, if already read. */
  assistant?: AssistantSettings;
};

/** Text of the last user message. */
function questionOf(items: StoredItem[]): string {
  const question = items.findLast(({ type, role }) => type === 'message' && role === 'user');
  if (!question || !Array.isArray(question.content)) return '';
  return question.content
    .flatMap((part) => (isObject(part) && part.type === 'input_text' && typeof part.text === 'string' ? part.text : []))
    .join('\n');
}

const instructionsOf = (assistant: AssistantSettings | null, { instructions }: ResponseRequest) => {
  if (!assistant) return instructions ?? null;
  const all = [...assistant.system, ...(instructions ? [instructions] : [])];
  return all.length > 0 ? all.join('\n\n') : null;
};

const isSearching = (tools: MergedTools['tools']) =>
  Array.isArray(tools) && tools.some((tool) => isObject(tool) && tool.type === 'file_search');

/**
 * Resolves a request: earlier responses, referenced items and the named assistant.
 * @throws budget_exceeded before the provider is asked for anything
 */
export function requestParser(dependencies: Dependencies) {
  const { provider, history, assistantModels, settingsOf, names, searchedBy, codeFilesBy, fileNames } = dependencies;
  return async (
    userId: number,
    body: ResponseRequest,
    { apiKey, check, assistant: known, outage }: For,
  ): Promise<ParsedRequest> => {
    const before = await history.before(userId, body.previous_response_id);
    const named: ResponseItem[] = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
    const { items, read } = await history.resolved(userId, named);
    const kept = items.map(toStoredItem);
    const assistant = assistantModels.isNamed(body.model)
      ? (known ?? (await settingsOf(userId, { model: body.model, question: questionOf(kept), outage }, apiKey, check)))
      : null;
    if (!assistant) await check(null);
    const isText = typeof body.input === 'string' && before.items.length === 0;
    const newItems = await fileNames.forProvider<ResponseItem>(userId, [
      ...(await names.itemsBefore(userId, before.items.flatMap(toInputItems))),
      ...(await names.items(userId, read)),
    ]);
    const input = isText ? body.input : newItems.items;
    const tools = assistant
      ? mergeTools(body, assistant, (model, tool) => provider.lacksTool(model, tool, apiKey))
      : { tools: body.tools, hosted: {}, notes: [] };
    const model = assistant?.model ?? body.model;
    if (isSearching(tools.tools)) refuseSearchElsewhere(model, 'tools');
    const searched = await searchedBy(userId, tools.tools);
    const codeFiles = await codeFilesBy(userId, tools.tools);
    const instructions = instructionsOf(assistant, body);
    return {
      body,
      model,
      assistant,
      instructions,
      input,
      tools,
      searched,
      codeFiles,
      naming: await fileNames.ofAnswer(userId, { ...searched, before: newItems.files }),
      kept,
      previousId: before.previousId,
      isStored: body.store !== false,
      isBackground: body.background === true,
      isOfFallback: outage !== undefined,
      inputTokens: estimateInputTokens([input, instructions ?? '']),
      notes: [...(assistant?.notes ?? []), ...tools.notes],
    };
  };
}

export type RequestParser = ReturnType<typeof requestParser>;
