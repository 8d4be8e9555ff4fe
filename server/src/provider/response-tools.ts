import { z } from 'zod';
import { type AnswerTools, type CallReader, noParameters, type ResponseFormat } from './answer-tools.ts';
import type { AnswerRequest, ConversationTurn, FileSearch } from './provider.ts';

const functionOf = ({ name, description, parameters = noParameters, strict }: AnswerTools['functions'][number]) => ({
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

function formatOf(format: ResponseFormat) {
  return format.type === 'json_schema' ? { type: format.type, ...format.json_schema } : format;
}

/** The part of a Responses request that is about tools and the answer's form. */
export function toolFields({ tools, search, format }: Pick<AnswerRequest, 'tools' | 'search' | 'format'>) {
  const code = tools?.codeInterpreter;
  const all = [
    ...(tools?.functions ?? []).map(functionOf),
    ...(search ? [searchOf(search)] : []),
    ...(code ? [{ type: 'code_interpreter', container: { type: 'auto', file_ids: code.fileIds } }] : []),
  ];
  const include = [
    ...(search?.isNeeded ? ['file_search_call.results'] : []),
    ...(code ? ['code_interpreter_call.outputs'] : []),
  ];
  return {
    ...(all.length > 0 && { tools: all }),
    ...(include.length > 0 && { include }),
    ...(tools && all.length > 0 && { tool_choice: choiceOf(tools.choice), parallel_tool_calls: tools.isParallel }),
    ...(format && format.type !== 'text' && { text: { format: formatOf(format) } }),
  };
}

/** The calls of a turn as items of the input, and what they were answered. */
export const callItems = ({ calls = [] }: ConversationTurn) => [
  ...calls.map(({ callId, name, input }) => ({ type: 'function_call', call_id: callId, name, arguments: input })),
  ...calls.map(({ callId, output }) => ({ type: 'function_call_output', call_id: callId, output })),
];

const Found = z.object({
  file_id: z.string().catch(''),
  score: z.number().min(0).max(1).catch(0),
  text: z.string().catch(''),
});

/** A passage of a file, as it is kept with the search that has found it. */
export const KeptPassage = z.object({ fileId: z.number(), filename: z.string(), score: z.number(), text: z.string() });

/** By Roster's own numbers. One that is no file of the search was taken out of it, and is not gone at the provider yet. */
const passagesOf = (results: z.output<typeof Found>[], search: FileSearch | undefined) =>
  results.flatMap(({ file_id, score, text }): z.output<typeof KeptPassage>[] => {
    const file = search?.files.get(file_id);
    return file ? [{ ...file, score, text }] : [];
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
]);

/** Takes a finished item of the output, if it is a call of a tool. */
export function takeItem(calls: CallReader, item: unknown, search: FileSearch | undefined) {
  const parsed = ToolItem.safeParse(item);
  // What was cut off was never called.
  if (!parsed.success || parsed.data.status === 'incomplete') return;
  const { data } = parsed;
  if (data.type === 'function_call')
    return calls.take('function', { callId: data.call_id, name: data.name, input: data.arguments, output: null });
  const name = data.type === 'file_search_call' ? 'file_search' : 'code_interpreter';
  const [input, output] =
    data.type === 'file_search_call'
      ? [JSON.stringify(data.queries), passagesOf(data.results ?? [], search)]
      : [data.code ?? '', data.outputs];
  calls.take(name, { callId: data.id, name, input, output: JSON.stringify(output ?? []) });
}
