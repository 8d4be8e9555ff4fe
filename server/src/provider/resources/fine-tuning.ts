import { z } from 'zod';
import { ProviderError } from '#server/provider/transport/error';
import { listLimit, type ProviderCall, type ProviderHttp } from '#server/provider/transport/http';
import { interactiveMs } from '#server/provider/transport/timeouts';
import type { Secret } from '#server/security/secret';
import {
  AddressId,
  type ProviderJob,
  RawCheckpoint,
  RawEvent,
  RawJob,
  toCheckpoint,
  toEvent,
  toJob,
} from './fine-tuning-answers.ts';

type NewProviderJob = {
  model: string;
  trainingFileId: string;
  validationFileId: string | null;
  suffix: string | null;
  metadata: Record<string, string>;
  method: 'supervised' | 'dpo';
  hyperparameters: Record<string, unknown>;
};

const answerLimit = 1024 * 1024;
const answerMs = 30_000;
const pageSize = 100;
const maxJobPages = 10;
/** One event per step is usual, and a long training has tens of thousands. */
const maxEventPages = 200;
const maxCheckpointPages = 5;

/** Model names contain colons, with some providers slashes too; they are encoded. */
const ModelId = z.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9_.:@/-]{1,300}$/);

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

const pathOf = (jobId: string) => `/fine_tuning/jobs/${AddressId.parse(jobId)}`;

function readJob(answer: unknown): ProviderJob {
  const job = RawJob.safeParse(answer);
  if (!job.success) throw unreadable(job.error);
  return toJob(job.data);
}

/** Requests for jobs: one response, or a list page by page. */
function trainingCalls(http: ProviderHttp) {
  /** Sent once: callers decide about retries. */
  const ask = (
    call: Omit<ProviderCall, 'signal' | 'retries'> & { limit?: number; withinMs?: number },
  ): Promise<unknown> => http.json({ limit: answerLimit, withinMs: answerMs, ...call, retries: 0 });

  /** Newest first; skips unreadable entries. `enough`: the rest is known. */
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
      const page = Page.safeParse(await ask({ method: 'GET', path: address, apiKey, limit: listLimit, withinMs }));
      if (!page.success) throw unreadable(page.error);
      const items = page.data.data.flatMap((raw) => {
        const parsed = schema.safeParse(raw);
        return parsed.success ? [read(parsed.data)] : [];
      });
      found.push(...items);
      const last = WithId.safeParse(page.data.data.at(-1));
      // A server that ignores `after` would return the same page forever.
      if (!page.data.has_more || !last.success || last.data.id === after || enough(items)) break;
      after = last.data.id;
    }
    return found;
  }

  return { ask, pages };
}

/** The fine-tuning jobs of a key and their models. All methods throw ProviderError. */
export function providerFineTuning(http: ProviderHttp) {
  const { ask, pages } = trainingCalls(http);
  const act = (action: 'cancel' | 'pause' | 'resume', withinMs?: number) => async (apiKey: Secret, jobId: string) =>
    readJob(await ask({ method: 'POST', path: `${pathOf(jobId)}/${action}`, apiKey, ...(withinMs && { withinMs }) }));

  return {
    /** Sent once, never retried: a retry could create a second job. */
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

    /** Finds a job whose creation got no response. */
    async findByMetadata(apiKey: Secret, name: string, value: string): Promise<ProviderJob | undefined> {
      const path = `/fine_tuning/jobs?${encodeURIComponent(`metadata[${name}]`)}=${encodeURIComponent(value)}`;
      // Not every server filters.
      const isIt = (job: ProviderJob) => job.metadata[name] === value;
      const jobs = await pages(apiKey, path, RawJob, toJob, {
        most: maxJobPages,
        enough: (items) => items.some(isIt),
      });
      return jobs.find(isIt);
    },

    /** Newest first, at most 1,000. */
    list: (apiKey: Secret) =>
      pages(apiKey, '/fine_tuning/jobs', RawJob, toJob, { most: maxJobPages, withinMs: interactiveMs }),

    retrieve: async (apiKey: Secret, jobId: string) =>
      readJob(await ask({ method: 'GET', path: pathOf(jobId), apiKey })),

    cancel: act('cancel'),
    pause: act('pause', interactiveMs),
    resume: act('resume', interactiveMs),

    /** Newest first, back to the page that contains the event `until`. */
    events: (apiKey: Secret, jobId: string, until: string | null) =>
      pages(apiKey, `${pathOf(jobId)}/events`, RawEvent, toEvent, {
        most: maxEventPages,
        enough: (items) => until !== null && items.some(({ id }) => id === until),
      }),

    checkpoints: (apiKey: Secret, jobId: string) =>
      pages(apiKey, `${pathOf(jobId)}/checkpoints`, RawCheckpoint, toCheckpoint, { most: maxCheckpointPages }),

    async removeModel(apiKey: Secret, model: string) {
      const id = ModelId.safeParse(model);
      if (!id.success) throw new ProviderError('bad_request', `${model} is not the name of a model.`);
      await ask({ method: 'DELETE', path: `/models/${encodeURIComponent(id.data)}`, apiKey, withinMs: interactiveMs });
    },

    /** The bytes of a provider file, up to a limit. Resolves once there are any. */
    async content(apiKey: Secret, fileId: string, limit: number): Promise<AsyncGenerator<Buffer>> {
      const path = `/files/${AddressId.parse(fileId)}/content`;
      const { body } = await http.sendRequest({ method: 'GET', path, apiKey, retries: 0, firstByteMs: interactiveMs });
      return limited(body, limit);
    },
  };
}

export type ProviderFineTuning = ReturnType<typeof providerFineTuning>;
