import type { FastifyInstance } from 'fastify';
import { modelNotFound, ProviderError } from '../http/errors.ts';
import type { Account } from '../state/account.ts';
import type { World } from '../world.ts';
import { FAR_SHUTDOWN, LINE_UP, type ModelEntry, TUNED_SHUTDOWN } from './line-up.ts';

function ownModels(account: Account): ModelEntry[] {
  return account.models.map(({ id, created }) => ({
    id,
    object: 'model',
    created,
    owned_by: 'roster',
    shutdown_date: TUNED_SHUTDOWN,
  }));
}

/**
 * Unordered like the provider's own list, with the user's models in the middle. With a day set, only models that have
 * not ended.
 */
function modelsOf(account: Account, { day: dayOf, shutdownDays }: World['settings']): ModelEntry[] {
  const day = dayOf();
  const all = [...LINE_UP.slice(0, 17), ...ownModels(account), ...LINE_UP.slice(17)];
  const left = all.filter(({ shutdown_date: end }) => day === null || end === null || end > day);
  if (shutdownDays === 'announced') return left;
  return left.map((model) => (model.shutdown_date === null ? model : { ...model, shutdown_date: FAR_SHUTDOWN }));
}

const SPEAKS_TEXT = /^(gpt-|o\d|chat-|ft:)/;
const OTHER_KIND = /(audio|realtime|image|transcribe|tts)/;

/** Rejects models that do not exist, are retired, or do not write text. */
export function checkTextModel(account: Account, id: string, settings: World['settings']): void {
  const [name = id] = id.split(':ckpt-step-');
  if (!modelsOf(account, settings).some((model) => model.id === name)) throw modelNotFound(id);
  if (!SPEAKS_TEXT.test(id) || OTHER_KIND.test(id)) {
    throw new ProviderError(404, {
      message: 'This is not a chat model and thus not supported in the v1/chat/completions endpoint.',
      param: 'model',
    });
  }
}

const FITTING = {
  embeddings: /embedding/,
  moderations: /moderation/,
  images: /image/,
  speech: /tts/,
  transcriptions: /transcribe|whisper/,
  completions: /instruct/,
} as const;

/** Rejects models that do not exist, are retired, or are for something else. */
export function checkModelFor(
  purpose: keyof typeof FITTING,
  account: Account,
  id: string,
  settings: World['settings'],
): void {
  if (!modelsOf(account, settings).some((model) => model.id === id)) throw modelNotFound(id);
  if (FITTING[purpose].test(id)) return;
  const message =
    purpose === 'completions'
      ? 'This is a chat model and not supported in the v1/completions endpoint. Did you mean to use v1/chat/completions?'
      : `The model \`${id}\` does not support this endpoint.`;
  throw new ProviderError(404, { message, param: 'model' });
}

export function modelRoutes(app: FastifyInstance, world: World): void {
  app.get('/models', ({ call }) => ({ object: 'list', data: modelsOf(call.account, world.settings) }));

  app.get<{ Params: { id: string } }>('/models/:id', ({ call, params }) => {
    const model = modelsOf(call.account, world.settings).find((candidate) => candidate.id === params.id);
    if (model === undefined) throw modelNotFound(params.id);
    return model;
  });

  app.delete<{ Params: { id: string } }>('/models/:id', async ({ call, params }) => {
    const { account } = call;
    if (LINE_UP.some((model) => model.id === params.id)) {
      throw new ProviderError(403, {
        message: `You do not have permission to delete the model '${params.id}': only fine-tuned models of your own organization can be deleted.`,
      });
    }
    if (!account.models.some((model) => model.id === params.id)) throw modelNotFound(params.id);
    account.models = account.models.filter((model) => model.id !== params.id);
    await world.accounts.save(account);
    return { id: params.id, object: 'model', deleted: true };
  });
}
