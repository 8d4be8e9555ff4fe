import { type BuiltInTool, builtInTools as names } from '@roster/contracts/assistants/tools';
import { modelIdOf } from '@roster/contracts/models/model-reference';
import { providerNameIn } from '@roster/contracts/provider-name';
import type { AnswerPiece, AnswerRequest } from '#server/provider/provider';
import { ProviderError } from '#server/provider/transport/error';
import type { Secret } from '#server/security/secret';
import { type Capabilities, noResponses } from './capabilities.ts';

type OnPieces = (pieces: AnswerPiece[]) => void;

/** The built-in tools: the provider's name, and the words for notes. */
export const builtInTools: Record<BuiltInTool, { type: string; inWords: string }> = {
  webSearch: { type: 'web_search', inWords: 'Web search' },
  codeInterpreter: { type: 'code_interpreter', inWords: 'The code interpreter' },
  imageGeneration: { type: 'image_generation', inWords: 'Image generation' },
};

const wanted = ({ hosted = {} }: Pick<AnswerRequest, 'hosted'>) => names.filter((name) => hosted[name] !== undefined);

/** The built-in tools that are not omitted. */
export function supportedTools({ hosted }: Pick<AnswerRequest, 'hosted'>, omitted: ReadonlySet<string>) {
  return hosted && Object.fromEntries(Object.entries(hosted).filter(([name]) => !omitted.has(name)));
}

export const unsupportedToolNote = (name: BuiltInTool, why: string) =>
  `${builtInTools[name].inWords} was left out: ${why}`;

/** Omits the tools for which `isRefused`, with a note for each that gives the reason. */
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

/** These words are about a file, or about a function of that name. */
const isOfOthers = /\bfiles?\b|\bfunctions?\b/i;
const isRefusing = /not (?:supported|available|allowed|enabled)|unsupported|cannot be used|does not (?:support|have)/i;
/** The model may have the tool in another request. The first words are those that Roster puts before such a message. */
const isOfRequest = /\beffort\b|\bmode\b/i;
const isOfThisModel = /(?<!a setting for )this model/i;

const isIn = (message: string, { type, inWords }: (typeof builtInTools)[BuiltInTool]) =>
  message.includes(type) || message.toLowerCase().includes(inWords.toLowerCase());

/** `isOfModel`: no request with this model can use it. */
export type UnsupportedTool = { tool: BuiltInTool; why: string; isOfModel: boolean };

/** The tool that a provider has rejected; undefined: something else was rejected. */
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
export const doesNotServe = (model: string) => `${modelIdOf(model)} does not support it.`;

/** The trait under which it is remembered for a model. */
export const rejectionTrait = (tool: BuiltInTool) => `refuses ${tool}`;

/** Why a model is known to lack a tool, without a request; null if nothing is known. */
export const unsupportedTools =
  (traits: Pick<Capabilities, 'has'>, providerName: string) =>
  (model: string, tool: BuiltInTool, apiKey: Secret | undefined): string | null => {
    if (traits.has('*', noResponses, apiKey)) return hasNoTools(providerName);
    return traits.has(model, rejectionTrait(tool), apiKey) ? doesNotServe(model) : null;
  };
