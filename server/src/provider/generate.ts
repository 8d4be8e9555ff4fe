import { modelIdOf } from '@roster/contracts/models/model-reference';
import { providerNameIn } from '@roster/contracts/provider-name';
import { generateWithChatCompletions } from './chat-completions/answer.ts';
import type { AnswerEnd, AnswerPiece, AnswerRequest } from './provider.ts';
import { generateWithResponses } from './responses/answer.ts';
import { mayLackResponses, responsesAvailability } from './responses/availability.ts';
import { ProviderError } from './transport/error.ts';
import { rejectionPattern } from './transport/failures.ts';
import type { ProviderHttp } from './transport/http.ts';
import type { Capabilities } from './unsupported/capabilities.ts';
import { type OptionalField, unsupportedFieldIn } from './unsupported/fields.ts';
import {
  addOmitted,
  omitUnsupportedFunction,
  unsupportedFunctionIn,
  withoutOmittedFunctions,
} from './unsupported/functions.ts';
import { unsupportedSettingNote } from './unsupported/notes.ts';
import {
  doesNotServe,
  hasNoTools,
  omitUnsupportedTools,
  supportedTools,
  unsupportedToolIn,
} from './unsupported/tools.ts';

type Sparable = OptionalField & { isSent: (request: AnswerRequest) => boolean };

const always = () => true;
const isOrdinary = true;

/** Fields that an answer can do without if the provider rejects them. */
const sparableFields: readonly Sparable[] = [
  { name: 'stream_options', called: ['stream_options', 'include_usage'], isSent: always },
  { name: 'store', called: ['store'], isOrdinary, isSent: always },
  { name: 'temperature', called: ['temperature'], isOrdinary, isSent: ({ temperature }) => temperature !== null },
  { name: 'top_p', called: ['top_p'], isOrdinary, isSent: ({ topP }) => typeof topP === 'number' },
  { name: 'summary', called: ['reasoning.summary', 'summary'], isOrdinary, isSent: ({ effort }) => effort !== null },
  {
    name: 'effort',
    called: ['reasoning_effort', 'reasoning.effort', 'reasoning', 'thinking'],
    isOrdinary,
    isSent: ({ effort }) => effort !== null,
  },
  {
    name: 'max_completion_tokens',
    called: ['max_completion_tokens'],
    isSent: ({ maxOutputTokens }) => maxOutputTokens !== undefined,
  },
  { name: 'parallel_tool_calls', called: ['parallel_tool_calls'], isSent: ({ tools }) => tools !== undefined },
  { name: 'include', called: ['include'], isOrdinary, isSent: ({ tools }) => tools !== undefined },
  {
    name: 'strict',
    called: ['strict'],
    isOrdinary,
    isSent: ({ tools }) => tools?.functions.some(({ strict }) => strict) === true,
  },
  {
    name: 'system role',
    called: ['system role', 'system message', 'system messages', 'system prompt', 'system instruction'],
    isOrdinary,
    isSent: ({ instructions }) => instructions !== '',
  },
];

const sparable = (request: AnswerRequest, omitted: ReadonlySet<string>) =>
  sparableFields.filter(({ name, isSent }) => isSent(request) && !omitted.has(name));

type OnPieces = (pieces: AnswerPiece[]) => void;

/**
 * Generates an answer through Responses or Chat Completions, whichever the provider serves, without parameters that it
 * or the model rejects.
 */
export function createGenerator(
  http: ProviderHttp,
  providerName: string,
  traits: Capabilities,
  responses = responsesAvailability(traits),
) {
  /** Omits a rejected parameter, adds a note and remembers it. false: the answer needs it. */
  async function learn(error: unknown, request: AnswerRequest, omitted: Set<string>, onPieces: OnPieces) {
    const { model, search } = request;
    const refusal = search && !omitted.has('search') ? rejectedSearch(error, model) : undefined;
    if (refusal && search?.isNeeded) {
      if (!refusal.isOfModel) search.onRefused();
      throw requiredSearchError(error);
    }
    if (refusal) {
      omitSearch(request, omitted, onPieces, refusal.why);
      if (refusal.isOfModel) await traits.learn(model, traitOf(request, 'search'), request.apiKey);
      else search?.onRefused();
      return true;
    }
    if (await learnOfAssistant(error, request, omitted, onPieces)) return true;
    const field = unsupportedFieldIn(error, sparable(request, omitted));
    if (!field) return false;
    omitted.add(field.name);
    await traits.learn(model, traitOf(request, field.name), request.apiKey);
    onPieces(leftOut(field.name, model));
    return true;
  }

  /** Likewise for a provider's tool or an assistant's response format. false: neither was rejected. */
  async function learnOfAssistant(error: unknown, request: AnswerRequest, omitted: Set<string>, onPieces: OnPieces) {
    const { model } = request;
    const refusedOne = unsupportedFunctionIn(error, request, omitted);
    if (refusedOne) {
      onPieces([{ type: 'note', text: omitUnsupportedFunction(refusedOne, error, omitted) }]);
      request.refusedFunctions?.add(refusedOne.name);
      return true;
    }
    const refused = unsupportedToolIn(error, request, omitted);
    if (refused) {
      const { tool, why, isOfModel } = refused;
      omitUnsupportedTools(request, omitted, onPieces, { isRefused: (name) => name === tool, why });
      if (isOfModel) await traits.learn(model, traitOf(request, tool), request.apiKey);
      return true;
    }
    const form = rejectedFormat(error, request, omitted);
    if (form) {
      omitted.add(form);
      // A schema rejected in strict mode says nothing about other schemas.
      if (form === 'strict format') return true;
      await traits.learn(model, traitOf(request, form), request.apiKey);
      onPieces(leftOut(form, model));
      return true;
    }
    return false;
  }

  async function answerOnce(
    request: AnswerRequest,
    omitted: Set<string>,
    telling: Telling,
    signal: AbortSignal,
  ): Promise<AnswerEnd> {
    const { model, apiKey } = request;
    const { onPieces } = telling;
    let refusal: ProviderError | undefined;
    if (responses.areServed(apiKey, model))
      try {
        const end = await generateWithResponses(http, request, omitted, onPieces, signal);
        await responses.haveAnswered(apiKey, model);
        return end;
      } catch (error) {
        if (telling.hasText() || !isOfResponses(error, request, omitted)) throw error;
        refusal = error;
      }
    const end = await answerWithoutResponses(request, omitted, onPieces, signal, refusal);
    if (refusal) await responses.areNotServed(apiKey, model, refusal);
    return end;
  }

  async function answerWithoutResponses(
    request: AnswerRequest,
    omitted: Set<string>,
    onPieces: OnPieces,
    signal: AbortSignal,
    refusal: ProviderError | undefined,
  ): Promise<AnswerEnd> {
    const canDoWithout = !request.search?.isNeeded;
    if (
      canDoWithout &&
      omitSearch(request, omitted, onPieces, `${providerNameIn('beginning', providerName)} has no file search.`)
    )
      request.search?.onRefused();
    omitUnsupportedTools(request, omitted, onPieces, { why: hasNoTools(providerName) });
    try {
      return await generateWithChatCompletions(http, request, omitted, onPieces, signal);
    } catch (error) {
      // Neither API is served: report the first error, which is about the original request.
      const isNeither = error instanceof ProviderError && error.code === 'not_served';
      throw isNeither && refusal && refusal.code !== 'not_served' ? refusal : error;
    }
  }

  /** Forgets earlier rejections of everything in a request that succeeded. */
  async function learnSuccess(request: AnswerRequest, omitted: ReadonlySet<string>) {
    for (const { name } of sparable(request, omitted))
      await traits.works(request.model, traitOf(request, name), request.apiKey);
    for (const tool of Object.keys(supportedTools(request, omitted) ?? {}))
      await traits.works(request.model, traitOf(request, tool), request.apiKey);
  }

  /** The known rejections, with a note for each setting that the user chose. */
  function knownRefusals(request: AnswerRequest, onPieces: OnPieces): Set<string> {
    const { model, temperature, topP = null, effort, search } = request;
    const given = { temperature, top_p: topP, effort };
    const isRefused = (parameter: string) => traits.has(model, traitOf(request, parameter), request.apiKey);
    const omitted = new Set(sparableFields.map(({ name }) => name).filter(isRefused));
    for (const [parameter, value] of Object.entries(given))
      if (value !== null && omitted.has(parameter)) onPieces(leftOut(parameter, model));
    omitUnsupportedTools(request, omitted, onPieces, { isRefused, why: doesNotServe(model) });
    if (isRefused('format')) omitFormat(request, omitted, onPieces);
    if (isRefused('search') && !search?.isNeeded) omitSearch(request, omitted, onPieces, notWith(model));
    return omitted;
  }

  return async function answer(request: AnswerRequest, onPieces: OnPieces, signal: AbortSignal): Promise<AnswerEnd> {
    const omitted = knownRefusals(request, onPieces);
    for (const name of request.refusedFunctions ?? []) addOmitted(name, omitted);
    const telling = trackOutput(onPieces);
    for (;;) {
      try {
        const end = await answerOnce(withoutRejected(request, omitted), omitted, telling, signal);
        await learnSuccess(request, omitted);
        return end;
      } catch (error) {
        if (telling.hasText() || !(await learn(error, request, omitted, onPieces))) throw error;
      }
    }
  };
}

type Telling = { onPieces: OnPieces; hasText: () => boolean };

/** Tracks whether readers have seen part of the answer: from then on the request must not be repeated. */
function trackOutput(onPieces: OnPieces): Telling {
  let hasText = false;
  return {
    onPieces(pieces) {
      hasText ||= pieces.some(({ type }) => type !== 'note');
      onPieces(pieces);
    },
    hasText: () => hasText,
  };
}

function omitFormat({ model, canLeaveFormatOut }: AnswerRequest, omitted: Set<string>, onPieces: OnPieces) {
  if (!canLeaveFormatOut) return;
  omitted.add('format');
  onPieces(leftOut('format', model));
}

/** The request without rejected functions and formats. */
function withoutRejected(request: AnswerRequest, omitted: ReadonlySet<string>): AnswerRequest {
  const sent = withoutOmittedFunctions(request, omitted);
  const { tools, instructions } = sent;
  return {
    ...inFormat(sent, omitted),
    ...(tools && {
      tools: {
        ...tools,
        ...(omitted.has('strict') && { functions: tools.functions.map(({ strict: _, ...rest }) => rest) }),
        ...(omitted.has('parallel_tool_calls') && { isParallel: true }),
      },
    }),
    ...(omitted.has('system role') && {
      instructions: '',
      turns: instructions === '' ? request.turns : [{ role: 'user', text: instructions }, ...request.turns],
    }),
  };
}

function inFormat(request: AnswerRequest, omitted: ReadonlySet<string>): AnswerRequest {
  const { format, canLeaveFormatOut } = request;
  if (!canLeaveFormatOut || format?.type !== 'json_schema') return request;
  if (omitted.has('format')) return { ...request, format: undefined };
  if (!omitted.has('strict format')) return request;
  return { ...request, format: { ...format, json_schema: { ...format.json_schema, strict: false } } };
}

/** The rejected part of the response format: strict mode only, or the whole format. */
function rejectedFormat(
  error: unknown,
  { format, canLeaveFormatOut }: AnswerRequest,
  omitted: ReadonlySet<string>,
): 'format' | 'strict format' | undefined {
  if (!canLeaveFormatOut || format?.type !== 'json_schema' || omitted.has('format')) return undefined;
  if (!(error instanceof ProviderError) || (error.status !== 400 && error.status !== 422)) return undefined;
  const isAboutForm =
    /^(text|response_format)\b/.test(error.param ?? '') || /response_format|text\.format/.test(error.message);
  if (!isAboutForm) return undefined;
  if (/invalid schema/i.test(error.message))
    return format.json_schema.strict && !omitted.has('strict format') ? 'strict format' : undefined;
  const isRefused =
    error.code === 'unsupported_parameter' ||
    /unavailable/i.test(error.message) ||
    rejectionPattern.test(error.providerMessage ?? '');
  return isRefused ? 'format' : undefined;
}

/** A rejection that may concern Responses as a whole, not a field of the request. */
const isOfResponses = (error: unknown, request: AnswerRequest, omitted: ReadonlySet<string>): error is ProviderError =>
  mayLackResponses(error) &&
  !unsupportedFieldIn(error, sparable(request, omitted)) &&
  !unsupportedToolIn(error, request, omitted) &&
  !unsupportedFunctionIn(error, request, omitted) &&
  !(readsFiles(request) && error.isFileGone);

const readsFiles = ({ tools }: AnswerRequest) => (tools?.codeInterpreter?.fileIds.length ?? 0) > 0;

/** Effort is remembered with its value: a model that rejects one may accept another. */
const traitOf = ({ effort }: AnswerRequest, parameter: string) =>
  parameter === 'effort' ? `refuses effort ${effort}` : `refuses ${parameter}`;

function leftOut(setting: string, model: string): AnswerPiece[] {
  const text = unsupportedSettingNote(setting, model);
  return text === undefined ? [] : [{ type: 'note', text }];
}

const notWith = (model: string) => `${modelIdOf(model)} does not support file search.`;

/** Omits the file search and adds a note with the reason. false: it was already omitted. */
function omitSearch(
  { search }: AnswerRequest,
  omitted: Set<string>,
  onPieces: (pieces: AnswerPiece[]) => void,
  why: string,
): boolean {
  if (!search || omitted.has('search')) return false;
  omitted.add('search');
  onPieces([{ type: 'note', text: `The assistant’s files could not be searched: ${why}` }]);
  return true;
}

/** The error of an answer that cannot do without the search. */
function requiredSearchError(cause: unknown): unknown {
  if (!(cause instanceof ProviderError) || cause.code !== 'store_gone') return cause;
  const { status } = cause;
  const message =
    'The provider no longer has the vector store. Its files are being indexed again; try again in a few minutes.';
  return new ProviderError('store_gone', message, { status, cause });
}

/**
 * The note for a rejected file search, if the answer can continue without it. undefined: something else was rejected.
 */
function rejectedSearch(error: unknown, model: string): { why: string; isOfModel: boolean } | undefined {
  if (!(error instanceof ProviderError)) return undefined;
  if (error.code === 'store_gone')
    return { why: 'the provider no longer has them. They are being indexed again.', isOfModel: false };
  const isAboutTools = error.param?.startsWith('tool') || /file_search/i.test(error.message);
  if ((error.status !== 400 && error.status !== 422) || !isAboutTools) return undefined;
  if (error.code === 'unsupported_parameter' || rejectionPattern.test(error.providerMessage ?? ''))
    return { why: notWith(model), isOfModel: true };
  return { why: error.message, isOfModel: false };
}
