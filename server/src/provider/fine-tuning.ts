import { beginningOf } from '@roster/contracts/cut';
import { z } from 'zod';
import type { Secret } from '../security/secret.ts';
import { quotable } from './failures.ts';
import type { ProviderCall, ProviderHttp } from './http.ts';
import { ProviderError, pressedMs } from './provider.ts';
import { timeOf } from './times.ts';

/** A job as the provider tells of it. */
export type ProviderJob = {
  id: string;
  model: string;
  /** In the provider's own words. */
  status: string;
  tunedModel: string | null;
  trainedTokens: number | null;
  trainingFileId: string | null;
  validationFileId: string | null;
  resultFileId: string | null;
  error: { code: string | null; message: string } | null;
  method: string | null;
  hyperparameters: Record<string, unknown>;
  metadata: Record<string, unknown>;
  suffix: string | null;
  createdAt: string;
  finishedAt: string | null;
  estimatedFinishAt: string | null;
};

export type ProviderMetrics = {
  step: number;
  trainLoss: number | null;
  trainAccuracy: number | null;
  validLoss: number | null;
  validAccuracy: number | null;
  fullValidLoss: number | null;
  fullValidAccuracy: number | null;
};

export type ProviderJobEvent = {
  id: string;
  at: string;
  level: 'info' | 'warn' | 'error';
  message: string;
  metrics: ProviderMetrics | null;
  totalSteps: number | null;
};

export type ProviderCheckpoint = {
  id: string;
  step: number;
  model: string;
  createdAt: string;
  metrics: ProviderMetrics;
};

export type NewProviderJob = {
  model: string;
  trainingFileId: string;
  validationFileId: string | null;
  suffix: string | null;
  metadata: Record<string, string>;
  method: 'supervised' | 'dpo';
  hyperparameters: Record<string, unknown>;
};

const pageLimit = 5 * 1024 * 1024;
const answerLimit = 1024 * 1024;
const answerMs = 30_000;
const pageSize = 100;
const jobPagesAtMost = 10;
/** One event for each step is usual, and a long training has tens of thousands. */
const eventPagesAtMost = 200;
const checkpointPagesAtMost = 5;
const messageLimit = 2_000;

/** None has a character that would mean something in an address. */
const AddressId = z.string().regex(/^[A-Za-z0-9_-]{1,200}$/);
/** Names of models hold colons, elsewhere slashes too; they are encoded. */
const ModelId = z.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9_.:@/-]{1,300}$/);

const text = (limit: number) => z.string().transform((value) => value.replaceAll('\0', ' ').slice(0, limit));
const optionalText = text(500).nullish().catch(null);
const optionalNumber = z.number().nullish().catch(null);
const Bag = z.record(z.string(), z.unknown()).nullish().catch(null);
const largestStep = 2_147_483_647;
const count = (value: number | null | undefined, most = Number.MAX_SAFE_INTEGER) =>
  value !== null && value !== undefined && Number.isInteger(value) && value >= 0 && value <= most ? value : null;

const RawJob = z.object({
  id: AddressId,
  model: text(200).catch(''),
  status: z.string().catch(''),
  fine_tuned_model: text(300).nullish().catch(null),
  trained_tokens: optionalNumber,
  training_file: optionalText,
  validation_file: optionalText,
  result_files: z.array(z.unknown()).nullish().catch(null),
  // Some send an empty object where there is no error.
  error: z.object({ code: optionalText, message: optionalText }).nullish().catch(null),
  hyperparameters: Bag,
  method: z.looseObject({ type: z.string() }).nullish().catch(null),
  metadata: Bag,
  user_provided_suffix: optionalText,
  created_at: optionalNumber,
  finished_at: optionalNumber,
  estimated_finish: optionalNumber,
});

/** What the method says counts more than the deprecated field beside it. */
function hyperparametersOf({ method, hyperparameters }: z.output<typeof RawJob>): Record<string, unknown> {
  const ofMethod = Bag.parse(method?.[method.type]);
  return Bag.parse(ofMethod?.hyperparameters) ?? hyperparameters ?? {};
}

function toJob(raw: z.output<typeof RawJob>): ProviderJob {
  const resultFile = AddressId.safeParse(raw.result_files?.[0]);
  const said = raw.error?.message || raw.error?.code;
  return {
    id: raw.id,
    model: raw.model,
    status: raw.status,
    tunedModel: raw.fine_tuned_model || null,
    trainedTokens: count(raw.trained_tokens),
    trainingFileId: raw.training_file ?? null,
    validationFileId: raw.validation_file ?? null,
    resultFileId: resultFile.success ? resultFile.data : null,
    error: said ? { code: raw.error?.code || null, message: quotable(said) } : null,
    method: raw.method?.type ?? null,
    hyperparameters: hyperparametersOf(raw),
    metadata: raw.metadata ?? {},
    suffix: raw.user_provided_suffix || null,
    createdAt: timeOf(raw.created_at) ?? new Date().toISOString(),
    finishedAt: timeOf(raw.finished_at),
    estimatedFinishAt: timeOf(raw.estimated_finish),
  };
}

const RawMetrics = z.object({
  step: optionalNumber,
  total_steps: optionalNumber,
  train_loss: optionalNumber,
  train_mean_token_accuracy: optionalNumber,
  train_accuracy: optionalNumber,
  valid_loss: optionalNumber,
  valid_mean_token_accuracy: optionalNumber,
  full_valid_loss: optionalNumber,
  full_valid_mean_token_accuracy: optionalNumber,
});

function toMetrics(raw: z.output<typeof RawMetrics>, step: number): ProviderMetrics {
  return {
    step,
    trainLoss: raw.train_loss ?? null,
    trainAccuracy: raw.train_mean_token_accuracy ?? raw.train_accuracy ?? null,
    validLoss: raw.valid_loss ?? null,
    validAccuracy: raw.valid_mean_token_accuracy ?? null,
    fullValidLoss: raw.full_valid_loss ?? null,
    fullValidAccuracy: raw.full_valid_mean_token_accuracy ?? null,
  };
}

const RawEvent = z.object({
  id: text(200).catch(''),
  created_at: optionalNumber,
  level: z.enum(['info', 'warn', 'error']).catch('info'),
  message: text(messageLimit).catch(''),
  data: RawMetrics.nullish().catch(null),
});

function toEvent(raw: z.output<typeof RawEvent>): ProviderJobEvent {
  const at = timeOf(raw.created_at) ?? new Date().toISOString();
  const { level, message, data } = raw;
  const step = count(data?.step, largestStep);
  const metrics = data && step !== null ? toMetrics(data, step) : null;
  const measured = metrics && Object.values(metrics).some((value, index) => index > 0 && value !== null);
  const said = /^Step \d{1,9}\/(\d{1,9})\b/.exec(message)?.[1];
  const totalSteps = count(data?.total_steps ?? (said === undefined ? null : Number(said)), largestStep);
  // Without an id, the same event read twice is still one.
  const id = raw.id || beginningOf(`${raw.created_at ?? ''} ${message}`, 200);
  return { id, at, level, message, metrics: measured ? metrics : null, totalSteps };
}

const RawCheckpoint = z.object({
  id: text(200),
  created_at: optionalNumber,
  step_number: z.number().int().min(0).max(largestStep),
  fine_tuned_model_checkpoint: text(300).refine((model) => model !== ''),
  metrics: RawMetrics.nullish().catch(null),
});

const toCheckpoint = (raw: z.output<typeof RawCheckpoint>): ProviderCheckpoint => ({
  id: raw.id,
  step: raw.step_number,
  model: raw.fine_tuned_model_checkpoint,
  createdAt: timeOf(raw.created_at) ?? new Date().toISOString(),
  metrics: toMetrics(raw.metrics ?? RawMetrics.parse({}), raw.step_number),
});

const Page = z.object({ data: z.array(z.unknown()), has_more: z.boolean().catch(false) });
const WithId = z.object({ id: z.string() });

const unreadable = (cause: unknown) =>
  new ProviderError('provider_unavailable', 'The provider’s answer could not be read.', { cause });

async function* limited(content: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > limit) throw new ProviderError('provider_unavailable', 'The provider’s file is too large.');
    yield chunk;
  }
}

/** The fine-tuning jobs of a key and the models that came of them. All of these throw ProviderError. */
export function providerFineTuning(http: ProviderHttp) {
  /** Asked once; whoever asks again knows when. */
  async function ask({
    withinMs = answerMs,
    ...call
  }: Omit<ProviderCall, 'signal' | 'retries'> & { limit?: number; withinMs?: number }): Promise<unknown> {
    try {
      const signal = AbortSignal.timeout(withinMs);
      return await http.json({ limit: answerLimit, ...call, retries: 0, signal });
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError')
        throw new ProviderError('provider_timeout', 'The provider did not answer in time.', { cause: error });
      throw error;
    }
  }

  function readJob(answer: unknown): ProviderJob {
    const job = RawJob.safeParse(answer);
    if (!job.success) throw unreadable(job.error);
    return toJob(job.data);
  }

  /** Newest first; what cannot be read of a list is left out. `enough`: the rest is known. */
  async function pages<Raw extends z.ZodType, Item>(
    apiKey: Secret,
    path: string,
    schema: Raw,
    read: (raw: z.output<Raw>) => Item,
    {
      most,
      enough = () => false,
      withinMs = answerMs,
    }: { most: number; enough?: (items: Item[]) => boolean; withinMs?: number },
  ): Promise<Item[]> {
    const found: Item[] = [];
    let after = '';
    for (let number = 0; number < most; number++) {
      const query = `limit=${pageSize}${after && `&after=${encodeURIComponent(after)}`}`;
      const address = `${path}${path.includes('?') ? '&' : '?'}${query}`;
      const page = Page.safeParse(await ask({ method: 'GET', path: address, apiKey, limit: pageLimit, withinMs }));
      if (!page.success) throw unreadable(page.error);
      const items = page.data.data.flatMap((raw) => {
        const parsed = schema.safeParse(raw);
        return parsed.success ? [read(parsed.data)] : [];
      });
      found.push(...items);
      const last = WithId.safeParse(page.data.data.at(-1));
      // A server that knows no `after` would give the same page for ever.
      if (!page.data.has_more || !last.success || last.data.id === after || enough(items)) break;
      after = last.data.id;
    }
    return found;
  }

  const pathOf = (jobId: string) => `/fine_tuning/jobs/${AddressId.parse(jobId)}`;
  const act = (action: 'cancel' | 'pause' | 'resume', withinMs?: number) => async (apiKey: Secret, jobId: string) =>
    readJob(await ask({ method: 'POST', path: `${pathOf(jobId)}/${action}`, apiKey, ...(withinMs && { withinMs }) }));

  return {
    /** Sent once, whatever happens: a second try could make a second job there. */
    async create(apiKey: Secret, job: NewProviderJob): Promise<ProviderJob> {
      const body = {
        model: job.model,
        training_file: job.trainingFileId,
        ...(job.validationFileId !== null && { validation_file: job.validationFileId }),
        ...(job.suffix !== null && { suffix: job.suffix }),
        metadata: job.metadata,
        method: { type: job.method, [job.method]: { hyperparameters: job.hyperparameters } },
      };
      return readJob(await ask({ method: 'POST', path: '/fine_tuning/jobs', apiKey, body }));
    },

    /** A job that was sent without an answer. */
    async findByMetadata(apiKey: Secret, name: string, value: string): Promise<ProviderJob | undefined> {
      const path = `/fine_tuning/jobs?${encodeURIComponent(`metadata[${name}]`)}=${encodeURIComponent(value)}`;
      // Not every server filters.
      const isIt = (job: ProviderJob) => job.metadata[name] === value;
      const jobs = await pages(apiKey, path, RawJob, toJob, {
        most: jobPagesAtMost,
        enough: (items) => items.some(isIt),
      });
      return jobs.find(isIt);
    },

    /** Newest first, at most 1,000. */
    list: (apiKey: Secret) =>
      pages(apiKey, '/fine_tuning/jobs', RawJob, toJob, { most: jobPagesAtMost, withinMs: pressedMs }),

    retrieve: async (apiKey: Secret, jobId: string) =>
      readJob(await ask({ method: 'GET', path: pathOf(jobId), apiKey })),

    cancel: act('cancel'),
    pause: act('pause', pressedMs),
    resume: act('resume', pressedMs),

    /** Newest first, back to the page that has the event `until`. */
    events: (apiKey: Secret, jobId: string, until: string | null) =>
      pages(apiKey, `${pathOf(jobId)}/events`, RawEvent, toEvent, {
        most: eventPagesAtMost,
        enough: (items) => until !== null && items.some(({ id }) => id === until),
      }),

    checkpoints: (apiKey: Secret, jobId: string) =>
      pages(apiKey, `${pathOf(jobId)}/checkpoints`, RawCheckpoint, toCheckpoint, { most: checkpointPagesAtMost }),

    async removeModel(apiKey: Secret, model: string) {
      const id = ModelId.safeParse(model);
      if (!id.success) throw new ProviderError('bad_request', `${model} is not the name of a model.`);
      await ask({ method: 'DELETE', path: `/models/${encodeURIComponent(id.data)}`, apiKey, withinMs: pressedMs });
    },

    /** The bytes of a file there, up to a limit. Resolves once it is known that there are any. */
    async content(apiKey: Secret, fileId: string, limit: number): Promise<AsyncGenerator<Buffer>> {
      const path = `/files/${AddressId.parse(fileId)}/content`;
      const { body } = await http.send({ method: 'GET', path, apiKey, retries: 0, firstByteMs: pressedMs });
      return limited(body, limit);
    },
  };
}

export type ProviderFineTuning = ReturnType<typeof providerFineTuning>;
