import { instructionsLimit } from '@roster/contracts/assistants/assistants';
import { Id } from '@roster/contracts/endpoint';
import {
  type datasets as api,
  type Dataset,
  type DatasetExample,
  type DatasetFormat,
  datasetLimit,
  type ExampleInstructions,
} from '@roster/contracts/fine-tuning/datasets';
import { isBlank } from '@roster/contracts/text/blank';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { OpenDatabase } from '#server/db/connect';
import { lockUserRow } from '#server/db/locks';
import type { Database } from '#server/db/schema';
import { createCursors, toPage } from '#server/http/paging';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { type ExampleContent, exampleRepository } from './example-repository.ts';
import { datasetNotFound, type GatheringService } from './gathering.ts';
import { instructionsFrom } from './instructions.ts';
import { type DatasetPosition, type DatasetRepository, datasetRepository } from './repository.ts';

type Dependencies = Pick<OpenDatabase, 'db' | 'reader'> & {
  gathering: GatheringService;
  /** True if the assistant belongs to the user. */
  ownsAssistant: (userId: number, assistantId: number) => Promise<boolean>;
};

/** More than fit into instructions. */
const triedForInstructions = 200;

type ExampleChange = z.output<typeof api.updateExample.body>;

const cursors = createCursors(z.tuple([z.iso.datetime(), Id]));

function positionOf(cursor: string | undefined): DatasetPosition | undefined {
  if (cursor === undefined) return undefined;
  const [updatedAt, id] = cursors.decode(cursor);
  return { updatedAt, id };
}

const wrong = (field: string, message: string) =>
  new AppError('invalid_input', message, { fields: { [field]: message } });

const nothingRated: Record<DatasetFormat, string> = {
  chat: 'There are no examples to collect yet. Rate answers as good, or correct them, in a chat first.',
  preference:
    'There are no examples to collect yet. Correct answers in a chat first, or rate one answer to a question as good and another as bad.',
};

/** An example with manual changes. @throws invalid_input if it leaves nothing to learn */
function changed(example: DatasetExample, change: ExampleChange) {
  const { instructions = example.instructions, answer = example.answer, review = example.review } = change;
  if (change.rejected !== undefined && example.rejected === null)
    throw wrong('rejected', 'An example in chat format has no worse answer.');
  const rejected = change.rejected ?? example.rejected;
  const turns = example.turns.map((turn, index) =>
    change.question !== undefined && index === example.turns.length - 1 ? { ...turn, text: change.question } : turn,
  );
  const next = { instructions, turns, answer, rejected };
  const lesson = ({ instructions, turns, answer, rejected }: ExampleContent) => [instructions, turns, answer, rejected];
  const isEdited = JSON.stringify(lesson(next)) !== JSON.stringify(lesson(example));
  if (change.question !== undefined && isBlank(change.question)) throw wrong('question', 'The question is required');
  if (isBlank(answer)) throw wrong('answer', 'The answer is required');
  if (rejected !== null && isBlank(rejected)) throw wrong('rejected', 'The worse answer is required');
  if (isEdited && rejected === answer) throw wrong('answer', 'The better and the worse answer are the same.');
  return { ...next, review, edited: example.edited || isEdited };
}

async function find(datasets: DatasetRepository, userId: number, datasetId: number): Promise<Dataset> {
  const dataset = await datasets.find(userId, datasetId);
  if (!dataset) throw datasetNotFound();
  return dataset;
}

/** `assistantId`: null or undefined for the answers of all assistants. */
async function checkAssistant({ ownsAssistant }: Dependencies, userId: number, assistantId: number | null | undefined) {
  if (typeof assistantId === 'number' && !(await ownsAssistant(userId, assistantId)))
    throw new AppError('not_found', 'This assistant does not exist.', {
      fields: { assistantId: 'This assistant does not exist.' },
    });
}

const insert = (db: Kysely<Database>, { userId, recheckAccess }: Actor, name: string, format: DatasetFormat) =>
  db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    const rows = datasetRepository(trx);
    await lockUserRow(trx, userId);
    if ((await rows.count(userId)) >= datasetLimit)
      throw new AppError(
        'quota_exceeded',
        `You have reached the limit of ${datasetLimit} datasets. Delete some first.`,
      );
    return rows.insert(userId, { name, format, at: new Date().toISOString() });
  });

async function create(dependencies: Dependencies, actor: Actor, input: z.output<typeof api.create.body>) {
  const { db, gathering } = dependencies;
  const { userId } = actor;
  const { name, format, withInstructions } = input;
  await checkAssistant(dependencies, userId, input.assistantId);
  const assistantId = input.assistantId ?? undefined;
  if (!(await gathering.hasAny(userId, format, assistantId))) throw new AppError('conflict', nothingRated[format]);
  const id = await insert(db, actor, name, format);
  const datasets = datasetRepository(db);
  const gathered = await gathering
    .gather(actor, { id, format }, { assistantId, withInstructions })
    .catch(async (error: unknown) => {
      // A part of what was requested would be mistaken for the whole.
      await datasets.delete(userId, id);
      throw error;
    });
  return { ...(await find(datasets, userId, id)), ...gathered };
}

async function gather(
  dependencies: Dependencies,
  actor: Actor,
  datasetId: number,
  input: z.output<typeof api.gather.body>,
) {
  const { userId } = actor;
  const datasets = datasetRepository(dependencies.db);
  const dataset = await find(datasets, userId, datasetId);
  await checkAssistant(dependencies, userId, input.assistantId);
  const { withInstructions } = input;
  const assistantId = input.assistantId ?? undefined;
  const gathered = await dependencies.gathering.gather(actor, dataset, { assistantId, withInstructions });
  return { dataset: await find(datasets, userId, datasetId), ...gathered };
}

const updateExample = (
  db: Kysely<Database>,
  userId: number,
  { id: datasetId, exampleId }: z.output<typeof api.updateExample.params>,
  change: ExampleChange,
): Promise<DatasetExample> =>
  db.transaction().execute(async (trx) => {
    const datasets = datasetRepository(trx);
    if (!(await datasets.take(userId, datasetId))) throw datasetNotFound();
    const rows = exampleRepository(trx);
    const before = await rows.find(userId, datasetId, exampleId);
    if (!before) throw new AppError('not_found', 'This example does not exist.');
    const after = changed(before, change);
    await rows.update(userId, datasetId, exampleId, after);
    await datasets.touch(userId, datasetId, { at: new Date().toISOString() });
    return { ...before, ...after };
  });

export function datasetService(dependencies: Dependencies) {
  const { db, reader, gathering } = dependencies;
  const datasets = datasetRepository(db);
  const slowDatasets = datasetRepository(reader);
  const slowExamples = exampleRepository(reader);

  return {
    find: (userId: number, datasetId: number) => find(datasets, userId, datasetId),

    async list(userId: number, { limit, cursor }: z.output<typeof api.list.query>) {
      const found = await slowDatasets.page(userId, limit + 1, positionOf(cursor));
      return toPage(found, limit, ({ updatedAt, id }) => cursors.encode([updatedAt, id]));
    },

    async available(userId: number, { assistantId }: z.output<typeof api.available.query>) {
      await checkAssistant(dependencies, userId, assistantId);
      return gathering.counts(userId, assistantId);
    },

    create: (actor: Actor, input: z.output<typeof api.create.body>) => create(dependencies, actor, input),
    gather: (actor: Actor, datasetId: number, input: z.output<typeof api.gather.body>) =>
      gather(dependencies, actor, datasetId, input),

    async rename(userId: number, datasetId: number, name: string): Promise<Dataset> {
      if (!(await datasets.touch(userId, datasetId, { name, at: new Date().toISOString() }))) throw datasetNotFound();
      return find(datasets, userId, datasetId);
    },

    async remove(userId: number, datasetId: number) {
      if (!(await datasets.delete(userId, datasetId))) throw datasetNotFound();
    },

    async examples(userId: number, datasetId: number, query: z.output<typeof api.examples.query>) {
      await find(datasets, userId, datasetId);
      const { limit, cursor: after = 0, review } = query;
      const found = await slowExamples.page(userId, datasetId, { after, limit: limit + 1, review });
      return toPage(found, limit, ({ id }) => String(id));
    },

    async instructions(userId: number, datasetId: number): Promise<ExampleInstructions> {
      const { id, name, kept, unreviewed } = await find(datasets, userId, datasetId);
      const best = await slowExamples.best(userId, datasetId, instructionsLimit, triedForInstructions);
      return { ...instructionsFrom(best), of: kept + unreviewed, dataset: { id, name } };
    },

    updateExample: (userId: number, ids: z.output<typeof api.updateExample.params>, change: ExampleChange) =>
      updateExample(db, userId, ids, change),
  };
}

export type DatasetService = ReturnType<typeof datasetService>;
