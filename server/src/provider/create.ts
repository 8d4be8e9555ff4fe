import type { Kysely } from 'kysely';
import type { Config } from '../config.ts';
import type { Database } from '../db/schema.ts';
import type { Secret } from '../security/secret.ts';
import { answerByChatCompletions } from './chat-completions.ts';
import { providerFiles } from './files.ts';
import { providerFineTuning } from './fine-tuning.ts';
import { createProviderHttp } from './http.ts';
import { listLimit, providerLists } from './lists.ts';
import {
  type AnswerEnd,
  type AnswerPiece,
  type AnswerRequest,
  type KeyCheck,
  type Provider,
  ProviderError,
} from './provider.ts';
import { answerByResponses } from './responses.ts';
import { loadTraits } from './traits.ts';

const keyCheckMs = 10_000;

/** Request parameters that an answer can do without, by the names providers use for them. */
const dispensable = new Map([
  ['temperature', 'temperature'],
  ['reasoning.effort', 'effort'],
  ['reasoning_effort', 'effort'],
  ['reasoning', 'effort'],
  ['reasoning.summary', 'summary'],
  ['stream_options', 'stream_options'],
]);
const inWords: Record<string, string> = { temperature: 'The temperature', effort: 'The reasoning effort' };

/** Speaks the OpenAI HTTP API at the configured base URL. */
export async function createProvider(options: { db: Kysely<Database>; config: Config['provider'] }): Promise<Provider> {
  const { baseUrl, name } = options.config;
  const http = createProviderHttp(baseUrl);
  const traits = await loadTraits(options.db, baseUrl);

  async function answer(request: AnswerRequest, onPieces: (pieces: AnswerPiece[]) => void, signal: AbortSignal) {
    const { model } = request;
    // A model that refuses one effort may take another one.
    const trait = (parameter: string) =>
      parameter === 'effort' ? `refuses effort ${request.effort}` : `refuses ${parameter}`;
    const omitted = new Set([...dispensable.values()].filter((parameter) => traits.has(model, trait(parameter))));
    if (request.temperature !== null && omitted.has('temperature')) onPieces([leftOut('temperature', model)]);
    if (request.effort !== null && omitted.has('effort')) onPieces([leftOut('effort', model)]);
    for (;;) {
      try {
        return await answerOnce(request, omitted, onPieces, signal);
      } catch (error) {
        const parameter = refusedParameter(error, omitted);
        if (!parameter) throw error;
        omitted.add(parameter);
        await traits.learn(model, trait(parameter));
        if (inWords[parameter]) onPieces([leftOut(parameter, model)]);
      }
    }
  }

  async function answerOnce(
    request: AnswerRequest,
    omitted: ReadonlySet<string>,
    onPieces: (pieces: AnswerPiece[]) => void,
    signal: AbortSignal,
  ): Promise<AnswerEnd> {
    if (!traits.has('*', 'has no responses')) {
      try {
        return await answerByResponses(http, request, omitted, onPieces, signal);
      } catch (error) {
        if (!(error instanceof ProviderError) || error.code !== 'not_served') throw error;
      }
      const end = await answerByChatCompletions(http, request, omitted, onPieces, signal);
      await traits.learn('*', 'has no responses');
      return end;
    }
    return answerByChatCompletions(http, request, omitted, onPieces, signal);
  }

  async function checkKey(apiKey: Secret): Promise<KeyCheck> {
    try {
      const signal = AbortSignal.timeout(keyCheckMs);
      await http.json({ method: 'GET', path: '/models', apiKey, retries: 0, limit: listLimit, signal });
      return { result: 'works' };
    } catch (error) {
      if (!(error instanceof ProviderError)) {
        if (error instanceof DOMException && error.name === 'TimeoutError')
          return {
            result: 'unreachable',
            notice: `${name} did not answer in time; the key is saved but not verified.`,
          };
        throw error;
      }
      switch (error.code) {
        case 'key_rejected':
          return { result: 'rejected', notice: error.message };
        case 'missing_scope':
        case 'rate_limited':
        case 'insufficient_quota':
        case 'region':
          return { result: 'limited', notice: error.message };
        case 'not_served':
          return { result: 'limited', notice: `${name} has no list of models, so the key could not be tried.` };
        default:
          return { result: 'unreachable', notice: `${error.message} The key is saved but not verified.` };
      }
    }
  }

  return {
    answer,
    checkKey,
    ...providerLists(http, name),
    files: providerFiles(http),
    fineTuning: providerFineTuning(http),
    close: () => http.close(),
  };
}

const leftOut = (parameter: string, model: string): AnswerPiece => ({
  type: 'note',
  text: `${inWords[parameter]} was left out: ${model} does not accept it.`,
});

/** Our name of a parameter that the provider refused and that has not been left out yet. */
function refusedParameter(error: unknown, omitted: ReadonlySet<string>): string | undefined {
  if (!(error instanceof ProviderError) || error.status !== 400 || !error.param) return undefined;
  if (error.code !== 'unsupported_parameter') return undefined;
  const parameter = dispensable.get(error.param);
  return parameter && !omitted.has(parameter) ? parameter : undefined;
}
