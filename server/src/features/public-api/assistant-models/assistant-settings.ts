import type { AssistantTools } from '@roster/contracts/assistants/tools';
import { truncate } from '@roster/contracts/text/truncate';
import type { FillInstructions } from '#server/conversation/fill-instructions';
import type { ToolRegistry } from '#server/conversation/tools';
import type { ApiAssistants } from '#server/features/assistants/api-assistants';
import type { Knowledge } from '#server/features/assistants/knowledge/service';
import type { FileIds } from '#server/features/public-api/files/file-ids';
import { noModel } from '#server/features/public-api/models/feature';
import { readFields, shownTools } from '#server/features/public-api/shared/assistant-fields';
import type { AssistantModels } from '#server/features/public-api/shared/assistant-models';
import { PublicApiError } from '#server/http/public-api/errors';
import { AppError } from '#server/lib/errors';
import type { FunctionTool, ResponseFormat } from '#server/provider/answer-tools';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { ConnectionKey } from '#server/provider/connections/connection-key';
import { fallbackNote } from '#server/provider/fallback';
import type { FileSearch, Provider } from '#server/provider/provider';
import { schemaFormat } from '#server/provider/schema-format';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import type { AssistantSearch } from './assistant-search.ts';

type Dependencies = {
  assistantModels: Pick<AssistantModels, 'find'>;
  assistants: Pick<ApiAssistants, 'find'>;
  searchOf: AssistantSearch;
  fileIds: Pick<FileIds, 'numbersOf'>;
  vectorStores: Pick<Provider['vectorStores'], 'search'>;
  toolBox: Pick<ToolRegistry, 'offered'>;
  catalogue: Pick<Catalogue, 'parameters'>;
  fillInstructions: FillInstructions;
  keys: { open: (userId: number) => Promise<Secret> };
};

/** Settings that an assistant adds to a client's request. */
export type AssistantSettings = {
  assistantId: number;
  model: string;
  /** System messages before the conversation: instructions, then passages found for the question. */
  system: string[];
  temperature: number | null;
  topP: number | null;
  effort: string | null;
  format: ResponseFormat | null;
  /** Functions defined by clients, which answer the calls themselves. */
  functions: FunctionTool[];
  /** Built-in tools, which the provider runs. */
  hosted: AssistantTools;
  /** Files for the code interpreter, by Roster ids. */
  codeFiles: string[];
  notes: string[];
};

/** @throws budget_exceeded */
export type BudgetCheck = (assistantId: number | null) => Promise<void>;

/** `outage`: why the assistant's own model cannot answer, so that its fallback is asked. */
type AssistantRequest = { model: string; question: string; outage?: string | undefined };

function answeringModel({ assistant: { model, fallbackModel } }: ApiAssistantRecord, { outage }: AssistantRequest) {
  if (outage === undefined || fallbackModel === null) return { model, notes: [] };
  return { model: fallbackModel, notes: [fallbackNote(model, fallbackModel, outage)] };
}

type ApiAssistantRecord = NonNullable<Awaited<ReturnType<ApiAssistants['find']>>>;

const queryLimit = 4_000;

const notSearched = ({ message }: Error) => `The assistant’s files could not be searched: ${message}`;

/** Resolves what an assistant adds to a request: instructions, settings, tools, and passages from its files. */
export function assistantSettings(dependencies: Dependencies) {
  const { assistantModels, assistants, catalogue } = dependencies;
  return async (
    userId: number,
    request: AssistantRequest,
    apiKey: Secret,
    /** Called before the provider is asked for passages. */
    check: BudgetCheck,
  ): Promise<AssistantSettings> => {
    const named = await assistantModels.find(userId, request.model);
    const found = named && (await assistants.find(userId, named.assistantId));
    if (!found) throw noModel(request.model);
    const { id: assistantId, name: assistantName, temperature, reasoningEffort } = found.assistant;
    const { model, notes } = answeringModel(found, request);
    await check(assistantId);
    const instructions = await dependencies.fillInstructions(userId, found.assistant.instructions, {
      model,
      assistantName,
    });
    const passages = await passagesFor(dependencies, { userId, found, apiKey, question: request.question });
    const parameters = catalogue.parameters(model, { temperature, effort: reasoningEffort });
    const { top_p: topP } = readFields(found.fields);
    return {
      assistantId,
      model,
      system: [...(instructions ? [instructions] : []), ...passages.system],
      ...parameters,
      // 1 is the provider's default. A model that accepts no temperature accepts no other value here either.
      topP: topP === 1 || parameters.temperature === null ? null : topP,
      format: formatOf(found),
      ...(await toolsFor(dependencies, userId, found)),
      notes: [...notes, ...passages.notes, ...(await unusedServers(dependencies, userId, assistantId))],
    };
  };
}

/**
 * The schema of the assistant's form takes precedence. It applies to conversations and these calls; runs have only the
 * other one.
 */
function formatOf({ assistant: { responseSchema }, fields }: ApiAssistantRecord): ResponseFormat | null {
  if (responseSchema !== null) return schemaFormat(responseSchema);
  const { response_format: format } = readFields(fields);
  return format === 'auto' || format.type === 'text' ? null : format;
}

async function toolsFor(
  { fileIds }: Dependencies,
  userId: number,
  { assistant, fields }: ApiAssistantRecord,
): Promise<Pick<AssistantSettings, 'functions' | 'hosted' | 'codeFiles'>> {
  const { tools, tool_resources: resources } = readFields(fields);
  const hosted = assistant.tools;
  const named = hosted.codeInterpreter ? (resources.code_interpreter?.file_ids ?? []) : [];
  const there = named.length > 0 ? await fileIds.numbersOf(userId, named) : new Map<string, number>();
  return {
    functions: tools.flatMap((tool) => (tool.type === 'function' ? [tool.function] : [])),
    hosted,
    codeFiles: named.filter((name) => there.has(name)),
  };
}

/** Roster calls tool servers itself and records each call, which takes a run. */
async function unusedServers({ toolBox }: Dependencies, userId: number, assistantId: number): Promise<string[]> {
  const offered = await toolBox.offered(userId, assistantId);
  const names = [...new Set(offered.map(({ serverName }) => serverName))];
  return names.length === 0
    ? []
    : [`Tools of tool servers are called in runs of the Assistants API alone; left out: ${names.join(', ')}.`];
}

type SettingsRequest = { userId: number; found: ApiAssistantRecord; apiKey: Secret; question: string };

/** A failed search never fails the answer; it becomes a note. */
async function passagesFor(
  dependencies: Dependencies,
  asking: SettingsRequest,
): Promise<{ system: string[]; notes: string[] }> {
  const { search, notes } = await searchFor(dependencies, asking);
  if (!search || asking.question.trim() === '') return { system: [], notes };
  try {
    // Files are indexed by the installation’s provider, whatever connection answers.
    const { apiKey: given } = asking;
    const apiKey = given instanceof ConnectionKey ? await dependencies.keys.open(asking.userId) : given;
    return { system: await passages(dependencies, search, { ...asking, apiKey }), notes };
  } catch (error) {
    if (!(error instanceof ProviderError || error instanceof AppError)) throw error;
    if (error.code === 'store_gone') search.onRefused();
    return { system: [], notes: [...notes, notSearched(error)] };
  }
}

async function searchFor({ searchOf }: Dependencies, { userId, found }: SettingsRequest): Promise<Knowledge> {
  const { assistant, fields } = found;
  const kept = readFields(fields);
  const scope = { assistantId: assistant.id, tools: shownTools(kept, assistant) };
  try {
    return await searchOf(userId, { ...scope, storeIds: kept.tool_resources.file_search?.vector_store_ids ?? [] });
  } catch (error) {
    if (!(error instanceof PublicApiError)) throw error;
    const { search, notes } = await searchOf(userId, { ...scope, storeIds: [] });
    return { search, notes: [...notes, notSearched(error)] };
  }
}

/** Passages are part of the request itself, so that every field of it keeps its meaning. */
async function passages(
  { vectorStores }: Dependencies,
  { storeIds, files, maxResults, ranking }: FileSearch,
  { apiKey, question }: SettingsRequest,
): Promise<string[]> {
  const options = {
    query: truncate(question, queryLimit),
    ...(maxResults !== undefined && { max_num_results: maxResults }),
    ...(ranking && { ranking_options: ranking }),
  };
  const found = [];
  for (const storeId of storeIds) found.push(...(await vectorStores.search(apiKey, storeId, options)));
  // Files outside the search were removed from it, but not at the provider yet.
  const texts = found.flatMap(({ fileId, text }) => {
    const file = files.get(fileId);
    return file ? [`[${file.filename}]\n${text}`] : [];
  });
  if (texts.length === 0) return [];
  return [
    `Passages of your files that may answer the question. Name the file of what you use.\n\n${texts.join('\n\n')}`,
  ];
}

export type ResolveAssistantSettings = ReturnType<typeof assistantSettings>;
