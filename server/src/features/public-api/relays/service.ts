import { randomBytes } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { TranscriptionForm } from '@roster/contracts/public-api/relays';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '#server/config/config';
import { relayStream } from '#server/features/public-api/chat-completions/relay-stream';
import { createTurns } from '#server/features/public-api/files/upload-queue';
import { answerInStream } from '#server/features/public-api/shared/answer-in-stream';
import type { AssistantModels } from '#server/features/public-api/shared/assistant-models';
import { createBudgetCheck, whileClientWaits } from '#server/features/public-api/shared/call-context';
import { type CallLog, costOf } from '#server/features/public-api/shared/call-log';
import type { ModelNames } from '#server/features/public-api/shared/model-names';
import { publicFailure } from '#server/features/public-api/shared/provider-failure';
import { retryWithoutUnsupported } from '#server/features/public-api/shared/retry-without-unsupported';
import { unchangedRequest } from '#server/features/public-api/shared/stream-usage';
import { whileRecorded } from '#server/features/public-api/shared/while-recorded';
import type { BudgetService } from '#server/features/usage/budgets';
import type { Receive } from '#server/http/multipart';
import type { ApiPrincipal } from '#server/http/public-api/api-principal';
import type { CallRegistry } from '#server/http/public-api/call-registry';
import { PublicApiError } from '#server/http/public-api/errors';
import type { JsonObject } from '#server/lib/is-object';
import { tierOf } from '#server/provider/connections/offer-budget';
import type { ProviderKeyService } from '#server/provider/keys/provider-key';
import type { Provider } from '#server/provider/provider';
import type { RelayedResponse } from '#server/provider/relay';
import { notAnAnswer } from '#server/provider/transport/event-reader';
import { multipartForm } from '#server/provider/transport/multipart-form';
import type { Secret } from '#server/security/secret';
import { passOn, type RelayOutcome } from './answer.ts';
import type { RelayKind } from './kinds.ts';

/**
 * A file between its arrival and its departure: clients may name the model after it, and providers want its length.
 * It has no name in the folder, so nothing is left of it, whatever happens.
 */
async function openSpooledFile(folder: string) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomBytes(16).toString('hex'));
  const handle = await open(path, 'wx+', 0o600);
  await rm(path);
  let bytes = 0;
  return {
    bytes: () => bytes,
    async write(content: AsyncIterable<Buffer>) {
      async function* counted() {
        for await (const chunk of content) {
          bytes += chunk.length;
          yield chunk;
        }
      }
      await handle.writeFile(counted());
    },
    read: () => handle.createReadStream({ start: 0, autoClose: false }),
    close: () => handle.close(),
  };
}

type SpooledFile = Awaited<ReturnType<typeof openSpooledFile>>;

type Dependencies = {
  config: Pick<Config, 'dataDir'>;
  provider: Pick<Provider, 'relay' | 'refusedFields'>;
  keys: Pick<ProviderKeyService, 'open' | 'noteRejected'>;
  modelNames: ModelNames;
  assistantModels: Pick<AssistantModels, 'isNamed'>;
  budgets: Pick<BudgetService, 'check'>;
  calls: CallLog;
  openCalls: CallRegistry;
};

type Call = { caller: ApiPrincipal; request: FastifyRequest; reply: FastifyReply };
type JsonCall = Call & {
  body: JsonObject & { model?: string | null | undefined; stream?: boolean | null | undefined };
};
type FormCall = Call & { receive: Receive<TranscriptionForm> };

/** A request, whatever its form. */
type RelayRequest = {
  kind: RelayKind;
  /** As the client named it; null: the provider chooses. */
  named: string | null;
  /** Estimate; 0: nothing is known before the answer. */
  inputTokens: number;
  streams: boolean;
  /** The service tier that the client asks for, if it has a price of its own. */
  tier: string | null;
  ask: (
    model: string | null,
    apiKey: Secret,
    signal: AbortSignal,
  ) => Promise<{ relayed: RelayedResponse; hidesUsage: boolean }>;
};

/** As many as wait on the disk for one person. */
const filesAtOnce = 2;
const patienceMs = 20_000;

const noAssistants = (model: string) =>
  new PublicApiError(
    'invalid_input',
    `'${model.slice(0, 200)}' is an assistant. Assistants answer in Chat Completions, Responses and runs; name a model here.`,
    { param: 'model' },
  );

const unwanted = (relayed: RelayedResponse) => {
  // A client that did not request events would read them as something else.
  relayed.body.destroy();
  return notAnAnswer();
};

/** Asks the provider and passes its answer on, in a stored call. */
function createResponder(dependencies: Dependencies) {
  const { keys, modelNames, assistantModels, budgets, calls } = dependencies;

  /** The model as Roster names it, and its key. */
  async function target(userId: number, { named, tier }: RelayRequest) {
    const model = named === null ? null : await modelNames.resolve(userId, named);
    if (model !== null && assistantModels.isNamed(model)) throw noAssistants(model);
    return { model, apiKey: await keys.open(userId, model, tier) };
  }

  return async (call: Call, relayRequest: RelayRequest, controller: AbortController) => {
    const { caller, request, reply } = call;
    const { userId } = caller;
    const { kind, named, inputTokens, streams } = relayRequest;
    const { signal } = controller;
    const explained = async (error: unknown) => {
      throw named === null ? error : await modelNames.explained(userId, named, error);
    };
    const { model, apiKey } = await target(userId, relayRequest).catch(explained);
    await createBudgetCheck(budgets, caller)(null);
    const unnamed = kind.unnamedModel ?? 'default-model';
    const stored = await calls.begin(caller, { assistantId: null, model: model ?? unnamed, inputTokens });
    const recorded = { stored, userId, model, inputTokens, keys, signal, log: request.log };
    const recording = whileRecorded(recorded, async (end) => {
      const { relayed, hidesUsage } = await relayRequest.ask(model, apiKey, signal).catch(explained);
      const endWith = ({ model: usedModel, ...outcome }: RelayOutcome) =>
        end({
          ...costOf(inputTokens, outcome),
          ...(model === null && usedModel !== undefined && { model: usedModel }),
        });
      if (!relayed.contentType.includes('text/event-stream'))
        return passOn({ request, reply, relayed, kind, signal, end: endWith });
      if (!streams) throw unwanted(relayed);
      await answerInStream(call, {
        passOn: (raw) => relayStream(relayed, raw, { hidesUsage, signal, eventBytes: kind.eventBytes }),
        end: ({ usage, tier, events }) => endWith({ usage, tier, events: kind.writesText ? events : 0 }),
        signal,
      });
    });
    await recording.catch((error: unknown) => {
      throw publicFailure(error);
    });
  };
}

/** The request as the client sent it, unless its model is named by a connection. */
function askInJson(
  provider: Dependencies['provider'],
  { body, request }: JsonCall,
  { kind, streams }: Pick<RelayRequest, 'kind' | 'streams'>,
): RelayRequest['ask'] {
  const { path, isBinary = false, draws = false } = kind;
  return async (model, apiKey, signal) => {
    const how = { path, isBinary, draws, streams, apiKey, signal };
    const isOriginal = model === null || modelIdOf(model) === body.model;
    const original = isOriginal ? request.bodyText : undefined;
    if (model === null || !kind.writesText) {
      const text = original ?? JSON.stringify(model === null ? body : { ...body, model: modelIdOf(model) });
      return { relayed: await provider.relay({ ...how, text }), hidesUsage: false };
    }
    const write = unchangedRequest({ ...body, model }, original);
    const relay = (text: string) => provider.relay({ ...how, text });
    const { relayed, request: sent } = await retryWithoutUnsupported({ model, apiKey, provider, write, relay });
    return { relayed, hidesUsage: sent.hidesUsage };
  };
}

type ArrivedForm = { fields: TranscriptionForm; file: { filename: string; type: string }; spooled: SpooledFile };

function askInForm(
  provider: Dependencies['provider'],
  { fields, file, spooled }: ArrivedForm,
  { kind, streams }: Pick<RelayRequest, 'kind' | 'streams'>,
): RelayRequest['ask'] {
  return async (model, apiKey, signal) => {
    const form = formOf({ ...fields, model: modelIdOf(model ?? fields.model) }, { ...file, spooled });
    try {
      const relayed = await provider.relay({ path: kind.path, streams, apiKey, signal, form });
      return { relayed, hidesUsage: false };
    } finally {
      form.content.destroy();
    }
  };
}

/** Forwards calls to the provider of their model, and records the cost of each. */
export function relayService(dependencies: Dependencies) {
  const { config, provider, openCalls } = dependencies;
  const answer = createResponder(dependencies);
  const inTurn = createTurns(filesAtOnce, patienceMs);
  const folder = join(config.dataDir, 'relays');

  return {
    /** `inputTokens`: an estimate; `streams`: the client has asked for events. */
    json(call: JsonCall, kind: RelayKind, given: Pick<RelayRequest, 'inputTokens' | 'streams'>) {
      const ask = askInJson(provider, call, { kind, ...given });
      const relayRequest = { kind, named: call.body.model ?? null, tier: tierOf(call.body), ask, ...given };
      return whileClientWaits(openCalls, call, (controller) => answer(call, relayRequest, controller));
    },

    /** A form with a file, which waits on the disk until all of it has arrived. */
    form(call: FormCall, kind: RelayKind) {
      return whileClientWaits(openCalls, call, async (controller) => {
        const spooled = await openSpooledFile(folder);
        try {
          const { fields, file } = await inTurn(call.caller.userId, () =>
            call.receive(async ({ filename, type, content }) => {
              await spooled.write(content);
              return { filename, type };
            }),
          );
          const streams = fields.stream === 'true';
          const ask = askInForm(provider, { fields, file, spooled }, { kind, streams });
          const relayRequest = { kind, named: fields.model, inputTokens: 0, streams, tier: null, ask };
          await answer(call, relayRequest, controller);
        } finally {
          await spooled.close();
        }
      });
    },
  };
}

function formOf(
  fields: Record<string, string | string[] | undefined>,
  file: { filename: string; type: string; spooled: SpooledFile },
) {
  const { filename, type, spooled } = file;
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (one === undefined ? [] : [[name, one] as const])),
  );
  return multipartForm(texts, {
    name: 'file',
    filename: filename || 'audio',
    type: type || 'application/octet-stream',
    bytes: spooled.bytes(),
    content: spooled.read(),
  });
}
