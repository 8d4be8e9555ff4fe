import type { ChatCompletion } from '@roster/contracts/public-api/chat-completions';
import { Metadata } from '@roster/contracts/public-api/metadata';
import type { ResponseItem, ResponseRequest } from '@roster/contracts/public-api/responses';
import { z } from 'zod';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { functionOf, toResponseFormat } from '#server/provider/responses/tools';

const TextPart = z.strictObject({ type: z.literal('text'), text: z.string() });
const ImagePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string(), detail: z.string().optional() }),
});
const FilePart = z.strictObject({
  type: z.literal('file'),
  file: z.strictObject({
    file_data: z.string().optional(),
    file_id: z.string().optional(),
    filename: z.string().optional(),
  }),
});
const Texts = z.union([z.string(), z.array(TextPart)]);
const RefusalPart = z.strictObject({ type: z.literal('refusal'), refusal: z.string() });
const FunctionCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});

const nothing = z.undefined().optional();
const Message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer']), content: Texts }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [TextPart, ImagePart, FilePart]))]),
  }),
  // A model's answer, sent back: no model reads more than its words and calls again.
  z.object({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(z.union([TextPart, RefusalPart]))]).optional(),
    refusal: z.string().optional(),
    tool_calls: z.array(FunctionCall).optional(),
    function_call: nothing,
    audio: nothing,
    name: nothing,
  }),
  // The function's name is already in its call.
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: Texts, name: z.string().optional() }),
]);
type Message = z.output<typeof Message>;

const Tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string(),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
    strict: z.boolean().nullish(),
  }),
});
const NamedFunction = z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) });
const ToolChoice = z.union([
  z.string(),
  NamedFunction,
  z.strictObject({
    type: z.literal('allowed_tools'),
    allowed_tools: z.strictObject({ mode: z.string(), tools: z.array(NamedFunction) }),
  }),
]);
const Format = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['text', 'json_object']) }),
  z.strictObject({ type: z.literal('json_schema'), json_schema: z.looseObject({}) }),
]);

/** Responses accept no smaller limit. */
const leastTokens = z.number().min(16).optional();

/** Fields that both APIs have, under one name or two. */
const ConvertibleRequest = z.strictObject({
  model: z.string(),
  messages: z.array(Message),
  stream: z.boolean().optional(),
  stream_options: z.looseObject({}).optional(),
  tools: z.array(Tool).optional(),
  tool_choice: ToolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: Format.optional(),
  temperature: z.unknown().optional(),
  top_p: z.unknown().optional(),
  max_tokens: leastTokens,
  max_completion_tokens: leastTokens,
  reasoning_effort: z.unknown().optional(),
  verbosity: z.unknown().optional(),
  metadata: Metadata.optional(),
  modalities: z.tuple([z.literal('text')]).optional(),
  prompt_cache_key: z.unknown().optional(),
  prompt_cache_retention: z.unknown().optional(),
  safety_identifier: z.unknown().optional(),
  service_tier: z.unknown().optional(),
  user: z.unknown().optional(),
});

/** Values that equal an omitted field. */
const neutral = new Map<string, unknown>([
  ['n', 1],
  ['frequency_penalty', 0],
  ['presence_penalty', 0],
  ['logprobs', false],
  ['top_logprobs', 0],
  ['store', false],
]);
const emptiable = new Set(['functions', 'logit_bias', 'metadata', 'stop']);
const isEmpty = (name: string, value: unknown) =>
  value === null ||
  value === undefined ||
  (emptiable.has(name) && typeof value === 'object' && Object.keys(value).length === 0);

/** Removes null fields of messages, which clients send without meaning anything. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, child]) => child !== null);
  return Object.fromEntries(entries.map(([name, child]) => [name, withoutNulls(child)]));
}

/** Best effort: answers may differ with it, too. */
const bestEffort = 'seed';

/** A request of Chat Completions, translated to Responses. */
type TranslatedRequest = { request: ResponseRequest; notes: string[] };

/** `untranslatable`: the field that Responses cannot express. */
export function toResponses(body: ChatCompletion): TranslatedRequest | { untranslatable: string } {
  const fields = Object.entries(body).filter(
    ([name, value]) => !(isEmpty(name, value) || neutral.get(name) === value || name === bestEffort),
  );
  const parsed = ConvertibleRequest.safeParse({ ...Object.fromEntries(fields), messages: withoutNulls(body.messages) });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return {
      untranslatable: String(
        issue?.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys[0] : issue?.path[0],
      ),
    };
  }
  const hasSeed = body[bestEffort] != null;
  return {
    request: requestOf(parsed.data),
    notes: hasSeed ? [`Left out, because tools are used: ${bestEffort}.`] : [],
  };
}

function requestOf(request: z.output<typeof ConvertibleRequest>): ResponseRequest {
  const {
    messages,
    stream_options: _,
    modalities: __,
    tools,
    tool_choice: choice,
    response_format: format,
    max_tokens: atMost,
    max_completion_tokens: limit = atMost,
    reasoning_effort: effort,
    verbosity,
    ...same
  } = request;
  return {
    ...same,
    input: messages.flatMap(itemsOf),
    store: false,
    ...(tools && {
      tools: tools.map(({ function: { description, parameters, ...named } }) =>
        functionOf({
          ...named,
          ...(description != null && { description }),
          ...(parameters != null && { parameters }),
        }),
      ),
    }),
    ...(choice !== undefined && { tool_choice: choiceOf(choice) }),
    ...(limit !== undefined && { max_output_tokens: limit }),
    ...(effort !== undefined && { reasoning: { effort } }),
    ...((format !== undefined || verbosity !== undefined) && {
      text: { ...(format && { format: toResponseFormat(format) }), ...(verbosity !== undefined && { verbosity }) },
    }),
  };
}

const namedOf = ({ type, function: { name } }: z.output<typeof NamedFunction>) => ({ type, name });

function choiceOf(choice: z.output<typeof ToolChoice>) {
  if (typeof choice === 'string') return choice;
  if (choice.type === 'function') return namedOf(choice);
  const { mode, tools } = choice.allowed_tools;
  return { type: choice.type, mode, tools: tools.map(namedOf) };
}

type Words = z.output<typeof TextPart> | z.output<typeof RefusalPart>;
const wordsOf = (content: string | Words[]) =>
  typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : part.refusal)).join('\n');

type UserPart = Exclude<Extract<Message, { role: 'user' }>['content'], string>[number];

function partOf(part: UserPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image_url':
      return { type: 'input_image', image_url: part.image_url.url, detail: part.image_url.detail ?? 'auto' };
    case 'file':
      return { type: 'input_file', ...part.file };
  }
}

function itemsOf(message: Message): ResponseItem[] {
  switch (message.role) {
    case 'system':
    case 'developer':
      return [{ role: message.role, content: wordsOf(message.content) }];
    case 'user': {
      const { role, content } = message;
      return [{ role, content: typeof content === 'string' ? content : content.map(partOf) }];
    }
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.tool_call_id, output: wordsOf(message.content) }];
    case 'assistant': {
      const { role, content, refusal, tool_calls: calls } = message;
      const words = wordsOf(content ?? '') || (refusal ?? '');
      return [
        ...(words === '' ? [] : [{ role, content: words }]),
        ...(calls ?? []).map(({ id, function: called }) => ({ type: 'function_call', call_id: id, ...called })),
      ];
    }
  }
}
