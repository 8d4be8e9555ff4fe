import { choiceOf, functionOf } from '../generation/calls.ts';
import type { Question, Turn } from '../generation/question.ts';
import { schemaOf } from '../generation/structured.ts';
import { inputTokens } from '../generation/usage.ts';
import { contextTooLong, invalidRequest, ProviderError } from '../http/errors.ts';
import {
  bodyObject,
  isObject,
  type JsonObject,
  type Metadata,
  metadataOf,
  missing,
  oneOf,
  optionalBoolean,
  optionalList,
  optionalNumber,
  optionalObject,
  optionalString,
  refuseUnknown,
  requiredString,
  stringList,
} from '../http/fields.ts';
import { checkTextModel } from '../models/routes.ts';
import { checkSampling, type Effort, effortFor, rulesOf } from '../models/rules.ts';
import type { Account } from '../state/account.ts';
import type { World } from '../world.ts';
import { readInput } from './input.ts';

const KNOWN = new Set([
  'background',
  'context_management',
  'conversation',
  'include',
  'input',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'model',
  'moderation',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
]);

const SUMMARIES = ['auto', 'concise', 'detailed'] as const;

export type ResponseRequest = {
  question: Question;
  input: unknown[];
  inputTokens: number;
  stream: boolean;
  store: boolean;
  background: boolean;
  /** The types of its tools. */
  tools: readonly string[];
  /** The vector stores to search; empty without the tool. */
  searchIn: readonly string[];
  includeResults: boolean;
  includeCodeOutputs: boolean;
  metadata: Metadata;
  previousId: string | null;
  /** Fields that the response object repeats as given. */
  echo: JsonObject;
};

function searchedStores(account: Account, tools: readonly unknown[]): string[] {
  const stores: string[] = [];
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool) || typeof tool.type !== 'string') throw missing(`tools[${index}].type`);
    if (tool.type !== 'file_search') continue;
    const ids = stringList(tool, 'vector_store_ids');
    if (ids.length === 0) throw missing(`tools[${index}].vector_store_ids`);
    for (const id of ids) {
      if (!account.vectorStores.some((store) => store.id === id)) {
        throw new ProviderError(404, { message: `Vector store with id [${id}] not found.`, param: 'tools' });
      }
      stores.push(id);
    }
  }
  return stores;
}

/** The files for a container must exist; 50 at most. */
function checkContainers(account: Account, tools: readonly unknown[]): void {
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool) || tool.type !== 'code_interpreter') continue;
    const param = `tools[${index}].container`;
    if (typeof tool.container === 'string') continue;
    if (!isObject(tool.container) || tool.container.type !== 'auto') throw missing(param);
    const ids = stringList(tool.container, 'file_ids');
    if (ids.length > 50) throw invalidRequest('Expected at most 50 files.', `${param}.file_ids`);
    for (const id of ids)
      if (!account.files.some((file) => file.id === id))
        throw new ProviderError(404, { message: `File with id '${id}' not found.`, param: `${param}.file_ids` });
  }
}

/** Instructions are not part of the chain and must be sent again. */
function earlierTokens(account: Account, previousId: string | undefined): number {
  if (previousId === undefined) return 0;
  const previous = account.responses.find((response) => response.id === previousId);
  if (previous === undefined) {
    const message = `Previous response with id '${previousId}' not found.`;
    throw invalidRequest(message, 'previous_response_id', 'previous_response_not_found');
  }
  return previous.tokens;
}

function systemTexts(turns: readonly Turn[]): string[] {
  return turns.filter((turn) => turn.role === 'system').map((turn) => turn.text);
}

type Sampling = { effort: Effort | null; temperature: number | undefined; topP: number | undefined };

function readSampling(body: JsonObject, model: string): Sampling {
  const reasoning = optionalObject(body, 'reasoning') ?? {};
  const effort = effortFor(model, optionalString(reasoning, 'effort'), 'reasoning.effort');
  const temperature = optionalNumber(body, 'temperature', { min: 0, max: 2 });
  const topP = optionalNumber(body, 'top_p', { min: 0, max: 1 });
  checkSampling(model, effort, { temperature, top_p: topP });
  return { effort, temperature, topP };
}

/** Fields that the response object repeats as given. */
function echoOf(body: JsonObject, { effort, temperature, topP }: Sampling): JsonObject {
  const text = optionalObject(body, 'text') ?? {};
  return {
    instructions: optionalString(body, 'instructions') ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: optionalNumber(body, 'max_tool_calls', { min: 1, integer: true }) ?? null,
    parallel_tool_calls: optionalBoolean(body, 'parallel_tool_calls') ?? true,
    prompt_cache_key: optionalString(body, 'prompt_cache_key') ?? null,
    reasoning: { effort, summary: summaryOf(body) ?? null },
    safety_identifier: optionalString(body, 'safety_identifier') ?? null,
    temperature: temperature ?? 1,
    text: { format: text.format ?? { type: 'text' }, verbosity: text.verbosity ?? 'medium' },
    tool_choice: body.tool_choice ?? 'auto',
    tools: optionalList(body, 'tools') ?? [],
    top_p: topP ?? 1,
  };
}

function summaryOf(body: JsonObject) {
  return oneOf(optionalObject(body, 'reasoning') ?? {}, 'summary', SUMMARIES);
}

function readQuestion(account: Account, body: JsonObject, model: string, effort: Effort | null) {
  const { turns, attachments, items, toolState } = readInput(account, body);
  const tools = (optionalList(body, 'tools') ?? []).filter(isObject);
  const instructions = [optionalString(body, 'instructions') ?? '', ...systemTexts(turns)];
  const question: Question = {
    model,
    instructions: instructions.filter((part) => part !== '').join('\n'),
    turns: turns.filter((turn) => turn.role !== 'system'),
    attachments,
    effort,
    wantsSummary: summaryOf(body) !== undefined,
    maxTokens: optionalNumber(body, 'max_output_tokens', { min: 16, integer: true }),
    tools: {
      functions: tools.flatMap((tool, index) =>
        tool.type === 'function' ? [functionOf(tool, `tools[${index}]`)] : [],
      ),
      runsCode: tools.some(({ type }) => type === 'code_interpreter'),
      searchesWeb: tools.some(({ type }) => type === 'web_search'),
      drawsPictures: tools.some(({ type }) => type === 'image_generation'),
      choice: choiceOf(body.tool_choice),
      parallel: optionalBoolean(body, 'parallel_tool_calls') ?? true,
      ...toolState,
    },
    schema: schemaOf(optionalObject(optionalObject(body, 'text') ?? {}, 'format'), 'text.format.schema'),
  };
  return { question, items };
}

export function readResponseRequest(account: Account, raw: unknown, settings: World['settings']): ResponseRequest {
  const body = bodyObject(raw);
  refuseUnknown(body, KNOWN);
  const model = requiredString(body, 'model');
  checkTextModel(account, model, settings);
  if (body.conversation !== undefined && body.conversation !== null) {
    throw new ProviderError(404, { message: 'Conversation not found.', param: 'conversation' });
  }
  const sampling = readSampling(body, model);
  const { question, items } = readQuestion(account, body, model, sampling.effort);
  const previousId = optionalString(body, 'previous_response_id');
  const tokens = inputTokens(question, earlierTokens(account, previousId));
  if (tokens > rulesOf(model).context) throw contextTooLong();
  checkContainers(account, optionalList(body, 'tools') ?? []);
  const store = optionalBoolean(body, 'store') ?? true;
  const background = optionalBoolean(body, 'background') ?? false;
  if (background && !store) throw invalidRequest("Background mode requires 'store' to be true.", 'background');

  return {
    question,
    input: items,
    inputTokens: tokens,
    stream: optionalBoolean(body, 'stream') ?? false,
    store,
    background,
    tools: (optionalList(body, 'tools') ?? []).flatMap((tool) => (isObject(tool) ? String(tool.type) : [])),
    searchIn: searchedStores(account, optionalList(body, 'tools') ?? []),
    includeResults: stringList(body, 'include').includes('file_search_call.results'),
    includeCodeOutputs: stringList(body, 'include').includes('code_interpreter_call.outputs'),
    metadata: metadataOf(body),
    previousId: previousId ?? null,
    echo: echoOf(body, sampling),
  };
}
