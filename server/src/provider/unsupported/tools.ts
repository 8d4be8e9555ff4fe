import { type BuiltInTool, builtInTools as names } from '@roster/contracts/assistants/tools';
import { providerNameIn } from '@roster/contracts/provider-name';
import type { AnswerPiece, AnswerRequest } from '#server/provider/provider';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import { type Capabilities, noResponses } from './capabilities.ts';

type OnPieces = (pieces: AnswerPiece[]) => void;

/** The tools that the provider runs, as it calls them and as a note does. */
export const builtInTools: Record<BuiltInTool, { type: string; inWords: string }> = {
  webSearch: { type: 'web_search', inWords: 'Web search' },
  codeInterpreter: { type: 'code_interpreter', inWords: 'The code interpreter' },
  imageGeneration: { type: 'image_generation', inWords: 'Image generation' },
};

const wanted = ({ hosted = {} }: Pick<AnswerRequest, 'hosted'>) => names.filter((name) => hosted[name] !== undefined);

/** Those that have not been left out. */
export function supportedTools({ hosted }: Pick<AnswerRequest, 'hosted'>, omitted: ReadonlySet<string>) {
  return hosted && Object.fromEntries(Object.entries(hosted).filter(([name]) => !omitted.has(name)));
}

export const unsupportedToolNote = (name: BuiltInTool, why: string) =>
  `${builtInTools[name].inWords} was left out: ${why}`;

/** Leaves out those that `isRefused`, with a note for each that says why. */
export function omitUnsupportedTools(
  request: Pick<AnswerRequest, 'hosted'>,
  omitted: Set<string>,
  onPieces: OnPieces,
  { isRefused = () => true, why }: { isRefused?: (name: string) => boolean; why: string },
) {
  for (const name of wanted(request)) {
    if (omitted.has(name) || !isRefused(name)) continue;
    omitted.add(name);
    onPieces([{ type: 'note', text: unsupportedToolNote(name, why) }]);
  }
}

/** Such words are about a file, or about a function with that name. */
const isOfOthers = /\bfiles?\b|\bfunctions?\b/i;
const isRefusing = /not (?:supported|available|allowed|enabled)|unsupported|cannot be used|does not (?:support|have)/i;
/** The model may have it all the same, in another request. The first words are those that Roster puts before such a message. */
const isOfRequest = /\beffort\b|\bmode\b/i;
const isOfThisModel = /(?<!a setting for )this model/i;

const isIn = (message: string, { type, inWords }: (typeof builtInTools)[BuiltInTool]) =>
  message.includes(type) || message.toLowerCase().includes(inWords.toLowerCase());

/** `isOfModel`: no request with this model can have it. */
export type UnsupportedTool = { tool: BuiltInTool; why: string; isOfModel: boolean };

/** The one of them that a provider has refused; undefined: something else was refused. */
export function unsupportedToolIn(
  error: unknown,
  request: Pick<AnswerRequest, 'hosted' | 'model'>,
  omitted: ReadonlySet<string>,
): UnsupportedTool | undefined {
  if (!(error instanceof ProviderError) || (error.status !== 400 && error.status !== 422)) return undefined;
  const { message } = error;
  if (!isRefusing.test(message) || isOfOthers.test(message)) return undefined;
  const tool = wanted(request).find((name) => !omitted.has(name) && isIn(message, builtInTools[name]));
  if (tool === undefined) return undefined;
  const { model } = request;
  const isOfModel = !isOfRequest.test(message) && (message.includes(model) || isOfThisModel.test(message));
  return { tool, isOfModel, why: isOfModel ? doesNotServe(model) : message };
}

export const hasNoTools = (providerName: string) => `${providerNameIn('beginning', providerName)} does not run tools.`;
export const doesNotServe = (model: string) => `${model} does not support it.`;

/** As it is remembered of a model. */
export const refusalOf = (tool: BuiltInTool) => `refuses ${tool}`;

/** Why a model is known not to have a tool, without asking anybody; null: nothing speaks against it. */
export const unsupportedTools =
  (traits: Pick<Capabilities, 'has'>, providerName: string) =>
  (model: string, tool: BuiltInTool, apiKey: Secret | undefined): string | null => {
    if (traits.has('*', noResponses, apiKey)) return hasNoTools(providerName);
    return traits.has(model, refusalOf(tool), apiKey) ? doesNotServe(model) : null;
  };
