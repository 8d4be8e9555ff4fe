import { modelReference } from '@roster/contracts/models/model-reference';
import type { Provider } from '#server/provider/provider';
import type { ProviderJob } from '#server/provider/resources/fine-tuning-answers';
import type { Secret } from '#server/security/secret';
import { ConnectionKey } from './connection-key.ts';

type Route = {
  providerOf: (apiKey: Secret) => Provider;
  /** The provider’s own id. */
  modelFor: (apiKey: Secret, reference: string) => string;
};

const referenceFor = (apiKey: Secret, model: string) =>
  apiKey instanceof ConnectionKey ? modelReference({ connectionId: apiKey.connection.id, model }) : model;

/** Base model and fine-tuned model as they are named here. */
const jobFor = (apiKey: Secret, job: ProviderJob): ProviderJob => ({
  ...job,
  model: referenceFor(apiKey, job.model),
  tunedModel: job.tunedModel === null ? null : referenceFor(apiKey, job.tunedModel),
});

/** Sends files and fine-tuning to the provider that the key belongs to. */
export const routeResources = ({ providerOf, modelFor }: Route): Pick<Provider, 'files' | 'fineTuning'> => ({
  files: {
    upload: (apiKey, file) => providerOf(apiKey).files.upload(apiKey, file),
    list: (apiKey) => providerOf(apiKey).files.list(apiKey),
    remove: (apiKey, id) => providerOf(apiKey).files.remove(apiKey, id),
  },
  fineTuning: {
    create: async (apiKey, job) =>
      jobFor(
        apiKey,
        await providerOf(apiKey).fineTuning.create(apiKey, { ...job, model: modelFor(apiKey, job.model) }),
      ),
    async findByMetadata(apiKey, name, value) {
      const job = await providerOf(apiKey).fineTuning.findByMetadata(apiKey, name, value);
      return job && jobFor(apiKey, job);
    },
    list: async (apiKey) => (await providerOf(apiKey).fineTuning.list(apiKey)).map((job) => jobFor(apiKey, job)),
    retrieve: async (apiKey, id) => jobFor(apiKey, await providerOf(apiKey).fineTuning.retrieve(apiKey, id)),
    cancel: async (apiKey, id) => jobFor(apiKey, await providerOf(apiKey).fineTuning.cancel(apiKey, id)),
    pause: async (apiKey, id) => jobFor(apiKey, await providerOf(apiKey).fineTuning.pause(apiKey, id)),
    resume: async (apiKey, id) => jobFor(apiKey, await providerOf(apiKey).fineTuning.resume(apiKey, id)),
    events: (apiKey, id, until) => providerOf(apiKey).fineTuning.events(apiKey, id, until),
    checkpoints: async (apiKey, id) =>
      (await providerOf(apiKey).fineTuning.checkpoints(apiKey, id)).map((checkpoint) => ({
        ...checkpoint,
        model: referenceFor(apiKey, checkpoint.model),
      })),
    removeModel: (apiKey, model) => providerOf(apiKey).fineTuning.removeModel(apiKey, modelFor(apiKey, model)),
    content: (apiKey, fileId, limit) => providerOf(apiKey).fineTuning.content(apiKey, fileId, limit),
  },
});
