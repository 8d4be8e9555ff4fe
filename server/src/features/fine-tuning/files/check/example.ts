import type { TrainingFormat } from '@roster/contracts/fine-tuning/training-files';
import type { ExampleFormat } from '#server/features/fine-tuning/files/tokens/tokens';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { quoted } from './json-line.ts';
import { checkFields, checkMessage, isFunctionName, type ReportProblem } from './message-check.ts';

/** Decides by the fields that only one of the formats has. */
export function formatOf(example: JsonObject): TrainingFormat {
  if (isReinforcement(example)) return 'unknown';
  if (Object.hasOwn(example, 'messages')) return 'chat';
  if (Object.hasOwn(example, 'preferred_output') || Object.hasOwn(example, 'non_preferred_output')) return 'preference';
  return Object.hasOwn(example, 'prompt') && Object.hasOwn(example, 'completion') ? 'prompt_completion' : 'unknown';
}

/** Checks one example. An error passed to `tell` keeps the file from training. */
export function checkExample(format: ExampleFormat, example: JsonObject, tell: ReportProblem) {
  if (format === 'chat') return checkChat(example, tell);
  if (format === 'preference') return checkPreference(example, tell);
  return checkPair(example, tell);
}

const withMessages = ['messages', 'tools', 'parallel_tool_calls'];
// `functions` is the older name of tools, which the provider still accepts.
const chatFields = new Set([...withMessages, 'functions']);
/** Reinforcement examples end with the question; their graders read further fields, which the author names. */
export function isReinforcement(example: JsonObject): boolean {
  const { messages } = example;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return (
    ['reference_answer', 'grader', 'reference'].some((name) => Object.hasOwn(example, name)) ||
    (isObject(last) && last.role === 'user' && Object.keys(example).some((name) => !chatFields.has(name)))
  );
}

const inputFields = new Set(withMessages);
const preferenceFields = new Set(['input', 'preferred_output', 'non_preferred_output']);
const pairFields = new Set(['prompt', 'completion']);

function checkChat(example: JsonObject, tell: ReportProblem) {
  checkFields(example, chatFields, 'The example', tell);
  checkTools(example, tell);
  const { messages } = example;
  if (!Array.isArray(messages) || messages.length === 0)
    return tell('error', 'There are no messages.', 'Give "messages" a list with at least a question and an answer.');
  checkMessages(messages, (number) => `Message ${number}`, tell);
  checkImageCount(messages, tell);
  const answers = messages.filter(isAnswer);
  if (messages.length > 0 && !isAnswer(messages.at(-1)))
    tell('error', 'The last message is not from the assistant.', 'End each example with the answer to learn.');
  if (answers.length > 0 && answers.every(({ weight }) => weight === 0))
    tell(
      'error',
      'Every answer has the weight 0, so nothing is learned.',
      'Leave out "weight" on the messages to learn from.',
    );
}

const maxImages = 10;

const imagesIn = (messages: unknown[]): number =>
  messages
    .flatMap((message) => (isObject(message) && Array.isArray(message.content) ? message.content : []))
    .filter((part) => isObject(part) && part.type === 'image_url').length;

export function hasImages({ messages, input }: JsonObject): boolean {
  const question = isObject(input) ? input.messages : messages;
  return Array.isArray(question) && imagesIn(question) > 0;
}

function checkImageCount(messages: unknown[], tell: ReportProblem) {
  const images = imagesIn(messages);
  if (images > maxImages)
    tell('error', `The example has ${images} images.`, `Keep at most ${maxImages}, or make several examples of it.`);
}

const isAnswer = (message: unknown): message is JsonObject => isObject(message) && message.role === 'assistant';

/** Checks each message, and that answers of tools answer an earlier call. */
function checkMessages(messages: unknown[], name: (number: number) => string, tell: ReportProblem) {
  const called = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    const where = name(index + 1);
    const role = checkMessage(message, where, tell);
    if (!isObject(message)) continue;
    const { tool_calls: calls, tool_call_id: id, weight } = message;
    if (role === 'assistant' && Array.isArray(calls)) for (const call of calls) if (isObject(call)) called.add(call.id);
    if (role === 'tool' && typeof id === 'string' && !called.has(id))
      tell(
        'error',
        `${where} answers the call ${quoted(id)}, which is not before it.`,
        'Put the call before its answer.',
      );
    if (role !== undefined && role !== 'assistant' && weight !== undefined)
      tell('error', `${where} has a weight.`, 'Only messages of the assistant can have one; remove it.');
  }
}

function checkTools({ tools, functions, parallel_tool_calls: parallel }: JsonObject, tell: ReportProblem) {
  if (parallel !== undefined && parallel !== null && typeof parallel !== 'boolean')
    tell('error', '"parallel_tool_calls" is neither true nor false.', 'Write true or false, without quotation marks.');
  const isFunction = (value: unknown) => isObject(value) && isFunctionName(value.name);
  if (functions !== undefined && functions !== null && !(Array.isArray(functions) && functions.every(isFunction)))
    tell(
      'error',
      '"functions" is not a list of functions.',
      'Write each as {"name": …, "parameters": {…}}, with a name of up to 64 letters, digits, - and _.',
    );
  if (tools === undefined || tools === null) return;
  const isTool = (tool: unknown) => isObject(tool) && tool.type === 'function' && isFunction(tool.function);
  if (!Array.isArray(tools) || !tools.every(isTool))
    tell(
      'error',
      '"tools" is not a list of functions.',
      'Write each tool as {"type": "function", "function": {"name": …, "parameters": {…}}}, with a name of up to 64 letters, digits, - and _.',
    );
}

function checkPreference(example: JsonObject, tell: ReportProblem) {
  checkFields(example, preferenceFields, 'The example', tell);
  const { input, preferred_output: preferred, non_preferred_output: other } = example;
  if (isObject(input)) checkInput(input, tell);
  else tell('error', 'There is no input.', 'Give "input" an object with the "messages" that the answers reply to.');
  const areAnswers = [
    checkAnswer(preferred, 'The preferred answer', 'preferred_output', tell),
    checkAnswer(other, 'The other answer', 'non_preferred_output', tell),
  ].every((is) => is);
  if (areAnswers && JSON.stringify(preferred) === JSON.stringify(other))
    tell('warning', 'Both answers are the same, so nothing is learned.', 'Make them differ, or remove the example.');
}

function checkInput(input: JsonObject, tell: ReportProblem) {
  checkFields(input, inputFields, 'The input', tell);
  checkTools(input, tell);
  const { messages } = input;
  if (!Array.isArray(messages) || messages.length === 0)
    return tell('error', 'The input has no messages.', 'Give "input" a list of "messages" that ends with a question.');
  checkMessages(messages, (number) => `Message ${number} of the input`, tell);
  checkImageCount(messages, tell);
}

function checkAnswer(output: unknown, where: string, field: string, tell: ReportProblem): boolean {
  const [message] = Array.isArray(output) ? output : [];
  if (!Array.isArray(output) || output.length !== 1 || !isAnswer(message)) {
    tell(
      'error',
      `${where} is not exactly one message of the assistant.`,
      `Write "${field}": [{"role": "assistant", "content": …}].`,
    );
    return false;
  }
  checkMessage(message, where, tell);
  return true;
}

function checkPair(example: JsonObject, tell: ReportProblem) {
  checkFields(example, pairFields, 'The pair', tell);
  for (const name of ['prompt', 'completion'] as const) {
    const value = example[name];
    if (typeof value !== 'string') tell('error', `The ${name} is not a text.`, `Write the ${name} in quotation marks.`);
    else if (name === 'completion' && value.trim() === '')
      tell('warning', 'The completion is empty.', 'Write the answer that the model should learn, or remove the pair.');
  }
}
