import { providerIn } from '@roster/contracts/provider-name';
import { answerByChatCompletions } from './chat-completions/answer.ts';
import { ProviderError } from './error.ts';
import type { ProviderHttp } from './http.ts';
import type { AnswerEnd, AnswerPiece, AnswerRequest } from './provider.ts';
import { answerByResponses } from './responses.ts';
import { doesNotServe, leaveToolsOut, refusedTool, runsNoTools } from './served-tools.ts';
import { settingLeftOut } from './setting-left-out.ts';
import { noResponses, type Traits } from './traits.ts';

/** Request parameters that an answer can do without, by the names providers use for them. */
const dispensable = new Map([
  ['temperature', 'temperature'],
  ['top_p', 'top_p'],
  ['reasoning.effort', 'effort'],
  ['reasoning_effort', 'effort'],
  ['reasoning', 'effort'],
  ['reasoning.summary', 'summary'],
  ['stream_options', 'stream_options'],
]);
type OnPieces = (pieces: AnswerPiece[]) => void;

/** Writes an answer through Responses or Chat Completions, whichever the provider serves, without parameters that it or the model refuses. */
export function answering(http: ProviderHttp, providerName: string, traits: Traits) {
  /** Leaves out the refused parameter, notes it and remembers it. false: the answer needs it. */
  async function learn(error: unknown, request: AnswerRequest, omitted: Set<string>, onPieces: OnPieces) {
    const { model, search } = request;
    const refusal = search && !omitted.has('search') ? refusedSearch(error, model) : undefined;
    if (refusal && search?.isNeeded) {
      if (!refusal.isOfModel) search.onRefused();
      throw asNeeded(error);
    }
    if (refusal) {
      leaveSearchOut(request, omitted, onPieces, refusal.why);
      if (refusal.isOfModel) await traits.learn(model, traitOf(request, 'search'));
      else search?.onRefused();
      return true;
    }
    if (await learnOfAssistant(error, request, omitted, onPieces)) return true;
    const parameter = refusedParameter(error, omitted);
    if (!parameter) return false;
    omitted.add(parameter);
    await traits.learn(model, traitOf(request, parameter));
    onPieces(leftOut(parameter, model));
    return true;
  }

  /** Likewise a tool of the provider, or the form that an assistant wants. false: neither was refused. */
  async function learnOfAssistant(error: unknown, request: AnswerRequest, omitted: Set<string>, onPieces: OnPieces) {
    const { model } = request;
    const refused = refusedTool(error, request, omitted);
    if (refused) {
      const { tool, why, isOfModel } = refused;
      leaveToolsOut(request, omitted, onPieces, { isRefused: (name) => name === tool, why });
      if (isOfModel) await traits.learn(model, traitOf(request, tool));
      return true;
    }
    const form = refusedForm(error, request, omitted);
    if (form) {
      omitted.add(form);
      // A schema that cannot be kept to word by word says nothing of others.
      if (form === 'strict format') return true;
      await traits.learn(model, traitOf(request, form));
      onPieces(leftOut(form, model));
      return true;
    }
    return false;
  }

  async function answerOnce(
    request: AnswerRequest,
    omitted: Set<string>,
    onPieces: OnPieces,
    signal: AbortSignal,
  ): Promise<AnswerEnd> {
    const hadResponses = !traits.has('*', noResponses);
    if (hadResponses)
      try {
        return await answerByResponses(http, request, omitted, onPieces, signal);
      } catch (error) {
        if (!(error instanceof ProviderError) || error.code !== 'not_served') throw error;
        if (readsFiles(request) && error.isFileGone) throw error;
      }
    const canDoWithout = !request.search?.isNeeded;
    if (
      canDoWithout &&
      leaveSearchOut(request, omitted, onPieces, `${providerIn('beginning', providerName)} has no file search.`)
    )
      request.search?.onRefused();
    leaveToolsOut(request, omitted, onPieces, { why: runsNoTools(providerName) });
    const end = await answerByChatCompletions(http, request, omitted, onPieces, signal);
    if (hadResponses) await traits.learn('*', noResponses);
    return end;
  }

  return async function answer(request: AnswerRequest, onPieces: OnPieces, signal: AbortSignal): Promise<AnswerEnd> {
    const { model, temperature, topP = null, effort, search } = request;
    const given = { temperature, top_p: topP, effort };
    const isRefused = (parameter: string) => traits.has(model, traitOf(request, parameter));
    const omitted = new Set([...dispensable.values()].filter(isRefused));
    for (const [parameter, value] of Object.entries(given))
      if (value !== null && omitted.has(parameter)) onPieces(leftOut(parameter, model));
    leaveToolsOut(request, omitted, onPieces, { isRefused, why: doesNotServe(model) });
    if (isRefused('format')) leaveFormOut(request, omitted, onPieces);
    if (isRefused('search') && !search?.isNeeded) leaveSearchOut(request, omitted, onPieces, notWith(model));
    for (;;) {
      try {
        return await answerOnce(inForm(request, omitted), omitted, onPieces, signal);
      } catch (error) {
        if (!(await learn(error, request, omitted, onPieces))) throw error;
      }
    }
  };
}

function leaveFormOut({ model, canLeaveFormatOut }: AnswerRequest, omitted: Set<string>, onPieces: OnPieces) {
  if (!canLeaveFormatOut) return;
  omitted.add('format');
  onPieces(leftOut('format', model));
}

/** The request in the form that has not been refused. */
function inForm(request: AnswerRequest, omitted: ReadonlySet<string>): AnswerRequest {
  const { format, canLeaveFormatOut } = request;
  if (!canLeaveFormatOut || format?.type !== 'json_schema') return request;
  if (omitted.has('format')) return { ...request, format: undefined };
  if (!omitted.has('strict format')) return request;
  return { ...request, format: { ...format, json_schema: { ...format.json_schema, strict: false } } };
}

/** Which part of an assistant's own form was refused, if it was: that it is kept to word by word, or all of it. */
function refusedForm(
  error: unknown,
  { format, canLeaveFormatOut }: AnswerRequest,
  omitted: ReadonlySet<string>,
): 'format' | 'strict format' | undefined {
  if (!canLeaveFormatOut || format?.type !== 'json_schema' || omitted.has('format')) return undefined;
  if (!(error instanceof ProviderError) || error.status !== 400) return undefined;
  const isAboutForm =
    /^(text|response_format)\b/.test(error.param ?? '') || /response_format|text\.format/.test(error.message);
  if (!isAboutForm) return undefined;
  if (/invalid schema/i.test(error.message))
    return format.json_schema.strict && !omitted.has('strict format') ? 'strict format' : undefined;
  const isRefused =
    error.code === 'unsupported_parameter' || /not supported|unsupported|unavailable/i.test(error.message);
  return isRefused ? 'format' : undefined;
}

const readsFiles = ({ tools }: AnswerRequest) => (tools?.codeInterpreter?.fileIds.length ?? 0) > 0;

/** A model that refuses one effort may take another one. */
const traitOf = ({ effort }: AnswerRequest, parameter: string) =>
  parameter === 'effort' ? `refuses effort ${effort}` : `refuses ${parameter}`;

function leftOut(setting: string, model: string): AnswerPiece[] {
  const text = settingLeftOut(setting, model);
  return text === undefined ? [] : [{ type: 'note', text }];
}

/** Our name of a parameter that the provider refused and that has not been left out yet. */
function refusedParameter(error: unknown, omitted: ReadonlySet<string>): string | undefined {
  if (!(error instanceof ProviderError) || error.status !== 400 || !error.param) return undefined;
  if (error.code !== 'unsupported_parameter') return undefined;
  const parameter = dispensable.get(error.param);
  return parameter && !omitted.has(parameter) ? parameter : undefined;
}

const notWith = (model: string) => `${model} does not support file search.`;

/** Leaves out the file search, with a note that says why. false: it was out already. */
function leaveSearchOut(
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

/** Why an answer that needs the search has failed. */
function asNeeded(cause: unknown): unknown {
  if (!(cause instanceof ProviderError) || cause.code !== 'store_gone') return cause;
  const { status } = cause;
  const message =
    'The provider does not have the vector store any more. Its files are being indexed again; try again in a few minutes.';
  return new ProviderError('store_gone', message, { status, cause });
}

/** The note for a refused file search, without which the answer goes on. undefined: something else was refused. */
function refusedSearch(error: unknown, model: string): { why: string; isOfModel: boolean } | undefined {
  if (!(error instanceof ProviderError)) return undefined;
  if (error.code === 'store_gone')
    return { why: 'the provider does not have them any more. They are being indexed again.', isOfModel: false };
  const isAboutTools = error.param?.startsWith('tool') || /file_search/i.test(error.message);
  if (error.status !== 400 || !isAboutTools) return undefined;
  if (error.code === 'unsupported_parameter' || /not supported|unsupported/i.test(error.message))
    return { why: notWith(model), isOfModel: true };
  return { why: error.message, isOfModel: false };
}
