import { Id } from '@roster/contracts/endpoint';
import {
  type Dataset,
  type DatasetExample,
  type DatasetFormat,
  datasetLimit,
} from '@roster/contracts/fine-tuning/datasets';
import { z } from 'zod';
import type { OpenDatabase } from '#server/db/connect';
import { takeTurn } from '#server/db/locks';
import { AppError } from '#server/errors';
import type { Actor } from '#server/http/actor';
import { cursorsOf, pageOf } from '#server/http/paging';
import { exampleRepository, type Lesson } from './example-repository.ts';
import { type GatheringService, noDataset } from './gathering.ts';
import { type DatasetPosition, datasetRepository } from './repository.ts';

type Dependencies = Pick<OpenDatabase, 'db' | 'reader'> & {
  gathering: GatheringService;
  /** Whether the assistant is theirs. */
  ownsAssistant: (userId: number, assistantId: number) => Promise<boolean>;
};

type Wanted = { assistantId: number | null; withInstructions: boolean };
type ExampleChange = {
  [Name in 'review' | 'instructions' | 'question' | 'answer' | 'rejected']?:
    | (Name extends 'review' ? DatasetExample['review'] : string)
    | undefined;
};

const cursors = cursorsOf(z.tuple([z.iso.datetime(), Id]));

function positionOf(cursor: string | undefined): DatasetPosition | undefined {
  if (cursor === undefined) return undefined;
  const [updatedAt, id] = cursors.decode(cursor);
  return { updatedAt, id };
}

const wrong = (field: string, message: string) =>
  new AppError('invalid_input', message, { fields: { [field]: message } });

const nothingRated: Record<DatasetFormat, string> = {
  chat: 'There is nothing to gather yet: rate answers as good or correct them in a chat first.',
  preference:
    'There is nothing to gather yet: correct answers in a chat first, or rate one answer to a question as good and another one as bad.',
};

/** An example with what was changed by hand. @throws invalid_input where nothing could be learned from it any more */
function changed(example: DatasetExample, change: ExampleChange) {
  const { instructions = example.instructions, answer = example.answer, review = example.review } = change;
  if (change.rejected !== undefined && example.rejected === null)
    throw wrong('rejected', 'An example in chat format has no worse answer.');
  const rejected = change.rejected ?? example.rejected;
  const turns = example.turns.map((turn, index) =>
    change.question !== undefined && index === example.turns.length - 1 ? { ...turn, text: change.question } : turn,
  );
  const next = { instructions, turns, answer, rejected };
  const lesson = ({ instructions, turns, answer, rejected }: Lesson) => [instructions, turns, answer, rejected];
  const isEdited = JSON.stringify(lesson(next)) !== JSON.stringify(lesson(example));
  if (change.question?.trim() === '') throw wrong('question', 'The question is required');
  if (answer.trim() === '') throw wrong('answer', 'The answer is required');
  if (rejected?.trim() === '') throw wrong('rejected', 'The worse answer is required');
  if (isEdited && rejected === answer) throw wrong('answer', 'The better and the worse answer are the same.');
  return { ...next, review, edited: example.edited || isEdited };
}

export function datasetService({ db, reader, gathering, ownsAssistant }: Dependencies) {
  const datasets = datasetRepository(db);
  const slowDatasets = datasetRepository(reader);
  const slowExamples = exampleRepository(reader);

  async function find(userId: number, datasetId: number): Promise<Dataset> {
    const dataset = await datasets.find(userId, datasetId);
    if (!dataset) throw noDataset();
    return dataset;
  }

  async function checkAssistant(userId: number, assistantId: number | null | undefined) {
    if (typeof assistantId === 'number' && !(await ownsAssistant(userId, assistantId)))
      throw new AppError('not_found', 'This assistant does not exist.', {
        fields: { assistantId: 'This assistant does not exist.' },
      });
  }

  const insert = ({ userId, stillMay }: Actor, name: string, format: DatasetFormat) =>
    db.transaction().execute(async (trx) => {
      await stillMay(trx);
      const rows = datasetRepository(trx);
      await takeTurn(trx, userId);
      if ((await rows.count(userId)) >= datasetLimit)
        throw new AppError(
          'quota_exceeded',
          `You have ${datasetLimit} datasets, which is as many as can be kept. Delete some first.`,
        );
      return rows.insert(userId, { name, format, at: new Date().toISOString() });
    });

  return {
    find,

    async list(userId: number, query: { limit: number; cursor?: string | undefined }) {
      const found = await slowDatasets.page(userId, query.limit + 1, positionOf(query.cursor));
      return pageOf(found, query.limit, ({ updatedAt, id }) => cursors.encode([updatedAt, id]));
    },

    async available(userId: number, assistantId: number | undefined) {
      await checkAssistant(userId, assistantId);
      return gathering.counts(userId, assistantId);
    },

    async create(actor: Actor, input: Wanted & { name: string; format: DatasetFormat }) {
      const { userId } = actor;
      const { name, format, withInstructions } = input;
      await checkAssistant(userId, input.assistantId);
      const assistantId = input.assistantId ?? undefined;
      if (!(await gathering.hasAny(userId, format, assistantId))) throw new AppError('conflict', nothingRated[format]);
      const id = await insert(actor, name, format);
      const gathered = await gathering
        .gather(actor, { id, format }, { assistantId, withInstructions })
        .catch(async (error: unknown) => {
          // A part of what was asked for would be taken for the whole.
          await datasets.delete(userId, id);
          throw error;
        });
      return { ...(await find(userId, id)), ...gathered };
    },

    async gather(actor: Actor, datasetId: number, input: Wanted) {
      const { userId } = actor;
      const dataset = await find(userId, datasetId);
      await checkAssistant(userId, input.assistantId);
      const { withInstructions } = input;
      const assistantId = input.assistantId ?? undefined;
      const gathered = await gathering.gather(actor, dataset, { assistantId, withInstructions });
      return { dataset: await find(userId, datasetId), ...gathered };
    },

    async rename(userId: number, datasetId: number, name: string): Promise<Dataset> {
      if (!(await datasets.touch(userId, datasetId, { name, at: new Date().toISOString() }))) throw noDataset();
      return find(userId, datasetId);
    },

    async remove(userId: number, datasetId: number) {
      if (!(await datasets.delete(userId, datasetId))) throw noDataset();
    },

    async examples(
      userId: number,
      datasetId: number,
      query: { limit: number; cursor?: number | undefined; review?: DatasetExample['review'] | undefined },
    ) {
      await find(userId, datasetId);
      const { limit, cursor: after = 0, review } = query;
      const found = await slowExamples.page(userId, datasetId, { after, limit: limit + 1, review });
      return pageOf(found, limit, ({ id }) => String(id));
    },

    async updateExample(
      userId: number,
      datasetId: number,
      exampleId: number,
      change: ExampleChange,
    ): Promise<DatasetExample> {
      return db.transaction().execute(async (trx) => {
        if (!(await datasetRepository(trx).take(userId, datasetId))) throw noDataset();
        const rows = exampleRepository(trx);
        const before = await rows.find(userId, datasetId, exampleId);
        if (!before) throw new AppError('not_found', 'This example does not exist.');
        const after = changed(before, change);
        await rows.update(userId, datasetId, exampleId, after);
        await datasetRepository(trx).touch(userId, datasetId, { at: new Date().toISOString() });
        return { ...before, ...after };
      });
    },
  };
}

export type DatasetService = ReturnType<typeof datasetService>;
