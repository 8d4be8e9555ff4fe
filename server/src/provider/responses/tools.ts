import type { AssistantTools } from '@roster/contracts/assistants/tools';
import { truncate } from '@roster/contracts/text/truncate';
import { z } from 'zod';
import { type AnswerTools, type CallReader, noParameters } from '#server/provider/answer-tools';
import type { AnswerRequest, ConversationTurn, FileSearch, ToolUse } from '#server/provider/provider';
import type { GeneratedFileReader } from '#server/provider/resources/generated-files';
import { addressLimit, isWebAddress, titleLimit } from '#server/provider/web-links';

export const functionOf = ({
  name,
  description,
  parameters = noParameters,
  strict,
}: AnswerTools['functions'][number]) => ({
  type: 'function',
  name,
  ...(description !== undefined && { description }),
  parameters,
  strict: strict ?? false,
});

const searchOf = ({ storeIds, maxResults, ranking }: FileSearch) => ({
  type: 'file_search',
  vector_store_ids: storeIds,
  ...(maxResults !== undefined && { max_num_results: maxResults }),
  ...(ranking && { ranking_options: ranking }),
});

function choiceOf(choice: AnswerTools['choice']) {
  if (typeof choice === 'object') return { type: 'function', name: choice.function };
  return choice === 'file_search' || choice === 'code_interpreter' ? { type: choice } : choice;
}

/** Chat Completions nest the same one level deeper. */
export const toResponseFormat = ({
  type,
  json_schema: schema,
}: {
  type: string;
  json_schema?: object | undefined;
}) => ({
  type,
  ...schema,
});

const webSearchOf = ({ domains = [], location }: NonNullable<AssistantTools['webSearch']>) => ({
  type: 'web_search',
  ...(domains.length > 0 && { filters: { allowed_domains: domains } }),
  ...(location && { user_location: { type: 'approximate', ...location } }),
});

/** The built-in tools of an assistant. */
export const builtInToolFields = (
  { webSearch, codeInterpreter, imageGeneration }: AssistantTools,
  codeFiles: readonly string[],
) => [
  ...(webSearch ? [webSearchOf(webSearch)] : []),
  ...(codeInterpreter ? [{ type: 'code_interpreter', container: { type: 'auto', file_ids: codeFiles } }] : []),
  // No partial images: each would arrive whole, only to be discarded.
  ...(imageGeneration ? [{ type: 'image_generation' }] : []),
];

type ToolRequest = Pick<AnswerRequest, 'tools' | 'search' | 'hosted' | 'format'>;

/** The part of a Responses request about tools and the response format. */
export function toolFields({ tools, search, hosted, format }: ToolRequest) {
  const code = tools?.codeInterpreter ?? (hosted?.codeInterpreter ? { fileIds: [] } : null);
  const web = hosted?.webSearch;
  const all = [
    ...(tools?.functions ?? []).map(functionOf),
    ...(search ? [searchOf(search)] : []),
    ...builtInToolFields({ ...hosted, ...(code && { codeInterpreter: {} }) }, code?.fileIds ?? []),
  ];
  const include = [
    ...(search?.isNeeded ? ['file_search_call.results'] : []),
    ...(web ? ['web_search_call.action.sources'] : []),
    ...(code ? ['code_interpreter_call.outputs'] : []),
  ];
  return {
    ...(all.length > 0 && { tools: all }),
    ...(include.length > 0 && { include }),
    ...(tools && all.length > 0 && { tool_choice: choiceOf(tools.choice), parallel_tool_calls: tools.isParallel }),
    ...(format && format.type !== 'text' && { text: { format: toResponseFormat(format) } }),
  };
}

/** A turn's calls and their outputs as input items. */
export const callItems = ({ calls = [] }: ConversationTurn) => [
  ...calls.map(({ callId, name, input }) => ({ type: 'function_call', call_id: callId, name, arguments: input })),
  ...calls.map(({ callId, output }) => ({ type: 'function_call_output', call_id: callId, output })),
];

const Found = z.object({
  file_id: z.string().catch(''),
  score: z.number().min(0).max(1).catch(0),
  text: z.string().catch(''),
});

/** A passage of a file, as stored with the search that found it. */
export const StoredPassage = z.object({
  fileId: z.number(),
  filename: z.string(),
  score: z.number(),
  text: z.string(),
});

/**
 * By Roster's file ids. Files that are not part of the search have been removed from it, but not yet at the provider.
 */
const passagesOf = (results: z.output<typeof Found>[], search: FileSearch | undefined) =>
  results.flatMap(({ file_id, score, text }): z.output<typeof StoredPassage>[] => {
    const file = search?.files.get(file_id);
    return file ? [{ ...file, score, text }] : [];
  });

const promptLength = 4_000;
const queriesLimit = 20;
/** For all sources as JSON: pages show 4,000 characters of a call's output. */
const sourcesLength = 3_900;

const WebSource = z.object({ url: z.string().catch(''), title: z.string().catch('') }).catch({ url: '', title: '' });

/** A web search, a page opened, or a search within a page. */
const WebAction = z.object({
  query: z.string().nullish().catch(null),
  queries: z.array(z.string()).min(1).nullish().catch(null),
  url: z.string().nullish().catch(null),
  sources: z.array(WebSource).nullish().catch(null),
});

const ToolItem = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('function_call'), call_id: z.unknown(), name: z.unknown(), arguments: z.unknown() }),
  z.looseObject({
    type: z.literal('file_search_call'),
    id: z.unknown(),
    queries: z.array(z.string()).catch([]),
    results: z.array(Found).nullish().catch(null),
  }),
  z.looseObject({
    type: z.literal('code_interpreter_call'),
    id: z.unknown(),
    code: z.string().nullish().catch(null),
    outputs: z.array(z.unknown()).nullish().catch(null),
  }),
  z.looseObject({
    type: z.literal('web_search_call'),
    id: z.unknown(),
    action: WebAction.nullish().catch(null),
  }),
  z.looseObject({
    type: z.literal('image_generation_call'),
    id: z.unknown(),
    /** The image, in base64. */
    result: z.string().nullish().catch(null),
    /** The prompt that the image was generated from. */
    revised_prompt: z.string().nullish().catch(null),
  }),
]);

const inputOf = (data: z.output<typeof WebAction> | null | undefined) => {
  const queries = data?.queries ?? (data?.query ? [data.query] : data?.url ? [data.url] : []);
  return JSON.stringify(queries.slice(0, queriesLimit).map((query) => truncate(query, titleLimit)));
};

/** Links are shown to people: only web URLs, and only as many as a page shows completely. */
function sourcesOf(data: z.output<typeof WebAction> | null | undefined) {
  let room = sourcesLength;
  return (data?.sources ?? [])
    .filter(({ url }) => url.length <= addressLimit && isWebAddress(url))
    .map(({ url, title }) => ({ url, title: truncate(title, titleLimit) }))
    .filter((source) => {
      room -= JSON.stringify(source).length + 1;
      return room > 0;
    });
}

const runByProvider = {
  file_search_call: 'file_search',
  code_interpreter_call: 'code_interpreter',
  web_search_call: 'web_search',
  image_generation_call: 'image_generation',
} as const;

const RunItem = z.object({
  type: z.enum(['file_search_call', 'code_interpreter_call', 'web_search_call', 'image_generation_call']),
  id: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  status: z.string().nullish().catch(null),
});

/** The built-in tool call in a finished item; undefined: it is something else, or incomplete. */
export function parseToolUse(item: unknown): ToolUse | undefined {
  const parsed = RunItem.safeParse(item);
  if (!parsed.success || parsed.data.status === 'failed' || parsed.data.status === 'incomplete') return undefined;
  return { tool: runByProvider[parsed.data.type], callId: parsed.data.id };
}

const maxUses = 1_000;

/** The built-in tool calls of a whole answer, each once. */
export const parseToolUses = (items: readonly unknown[]): ToolUse[] =>
  [
    ...new Map(items.flatMap((item) => parseToolUse(item) ?? []).map((use) => [use.callId, use] as const)).values(),
  ].slice(0, maxUses);

/** Reports that the provider has started to run one of its tools. */
export function readToolStart(calls: CallReader, item: unknown) {
  const parsed = ToolItem.safeParse(item);
  if (!parsed.success || parsed.data.type === 'function_call') return;
  const { data } = parsed;
  const kind = runByProvider[data.type];
  // Some providers give the query at the start, others only with the results.
  const input = data.type === 'web_search_call' && data.action ? inputOf(data.action) : '';
  if (kind !== 'file_search') calls.begin(kind, { callId: data.id, name: kind, input });
}

/** Handles a finished output item if it is a tool call. */
export function readToolItem(
  { calls, made }: { calls: CallReader; made: GeneratedFileReader },
  item: unknown,
  search: FileSearch | undefined,
) {
  const parsed = ToolItem.safeParse(item);
  // Truncated calls were never executed.
  if (!parsed.success || parsed.data.status === 'incomplete') return;
  const { data } = parsed;
  if (data.type === 'function_call')
    return calls.take('function', { callId: data.call_id, name: data.name, input: data.arguments, output: null });
  const name = runByProvider[data.type];
  const [input, output, hasFailed = data.status === 'failed'] = report(data, made, search);
  calls.take(name, { callId: data.id, name, input, output: JSON.stringify(output ?? []) }, hasFailed);
}

type HostedItem = Exclude<z.output<typeof ToolItem>, { type: 'function_call' }>;
/** Input, stored output, and whether it failed if the status does not say so. */
type Report = [input: string, output: unknown, hasFailed?: boolean];

function report(data: HostedItem, made: GeneratedFileReader, search: FileSearch | undefined): Report {
  switch (data.type) {
    case 'file_search_call':
      return [JSON.stringify(data.queries), passagesOf(data.results ?? [], search)];
    case 'web_search_call':
      return [inputOf(data.action), sourcesOf(data.action)];
    case 'code_interpreter_call':
      return [data.code ?? '', data.outputs && made.ofOutputs(data.outputs)];
    case 'image_generation_call': {
      const isPicture = data.status !== 'failed' && made.generated(data.result ?? '');
      return [truncate(data.revised_prompt ?? '', promptLength), isPicture ? [{ type: 'image' }] : [], !isPicture];
    }
  }
}
