import { fileSizeLimit } from '@roster/contracts/files/files';
import { type DatasetFormat, datasetExampleLimit } from '@roster/contracts/fine-tuning/datasets';
import type { Kysely } from 'kysely';
import type { OpenDatabase } from '#server/db/connect';
import type { Database } from '#server/db/schema';
import { AppError } from '#server/lib/errors';
import type { Actor } from '#server/security/actor';
import { loadBranches } from './branches.ts';
import { exampleRepository, type NewExample } from './example-repository.ts';
import {
  type Candidate,
  type RatedAnswer,
  type RatedAnswerRepository,
  ratedAnswerRepository,
} from './rated-answer-repository.ts';
import { datasetRepository } from './repository.ts';

type GatheringRequest = { assistantId: number | undefined; withInstructions: boolean };

/** Read with a few queries, and written in short transactions. */
const candidatesAtOnce = 25;
const bytesAtOnce = 512 * 1024;
/** A dataset is saved as one or two files, which add little to its texts. */
const maxBytes = fileSizeLimit - 1024 * 1024;

export const datasetNotFound = () => new AppError('not_found', 'This dataset does not exist.');

const sizeOf = ({ instructions, turns, answer, rejected }: NewExample) =>
  turns.reduce((sum, { text }) => sum + text.length, instructions.length + answer.length + (rejected?.length ?? 0));

/** Splits examples into transactions that are small enough to delay no stream. */
function inBatches(examples: NewExample[]): NewExample[][] {
  const batches: NewExample[][] = [];
  let room = 0;
  for (const example of examples) {
    const size = sizeOf(example);
    const batch = batches.at(-1);
    if (batch && size <= room) batch.push(example);
    else {
      batches.push([example]);
      room = bytesAtOnce;
    }
    room -= size;
  }
  return batches;
}

/** The two sides of an example; undefined if its rating was withdrawn meanwhile. */
function sidesOf(
  format: DatasetFormat,
  answer: RatedAnswer,
  worse: RatedAnswer | undefined,
): Pick<NewExample, 'answer' | 'rejected'> | undefined {
  const { text, value, correction } = answer;
  const best = correction ?? (value === 'good' ? text : undefined);
  if (best === undefined) return undefined;
  if (format === 'chat') return { answer: best, rejected: null };
  const rejected = worse?.text ?? (correction === null ? undefined : text);
  return rejected === undefined || rejected === best ? undefined : { answer: best, rejected };
}

async function examplesOf(
  answers: RatedAnswerRepository,
  userId: number,
  format: DatasetFormat,
  { withInstructions }: GatheringRequest,
  candidates: Candidate[],
): Promise<NewExample[]> {
  const ids = new Set(candidates.flatMap(({ sourceId, rejectedId }) => [sourceId, rejectedId]));
  const rated = await answers.answers(userId, [...ids]);
  const questions = new Set(candidates.flatMap(({ sourceId }) => rated.get(sourceId)?.questionId ?? []));
  if (questions.size === 0) return [];
  const branches = await loadBranches(answers, userId, [...questions]);
  return candidates.flatMap(({ sourceId, rejectedId }) => {
    const answer = rated.get(sourceId);
    const turns = branches.get(answer?.questionId ?? 0);
    if (!answer || turns?.at(-1)?.role !== 'user') return [];
    const sides = sidesOf(format, answer, rated.get(rejectedId));
    if (!sides) return [];
    const instructions = withInstructions ? (answer.instructions ?? '') : '';
    return { ...sides, sourceId, rejectedId: rejectedId || null, instructions, turns };
  });
}

/** Returns how many were added. @throws not_found if the dataset was deleted meanwhile */
const store = (db: Kysely<Database>, { userId, recheckAccess }: Actor, datasetId: number, examples: NewExample[]) =>
  db.transaction().execute(async (trx) => {
    await recheckAccess(trx);
    const datasets = datasetRepository(trx);
    if (!(await datasets.take(userId, datasetId))) throw datasetNotFound();
    const rows = exampleRepository(trx);
    const room = datasetExampleLimit - (await rows.count(userId, datasetId));
    if (room <= 0) return 0;
    const at = new Date().toISOString();
    const added = await rows.insert(userId, datasetId, examples.slice(0, room), at);
    if (added > 0) await datasets.touch(userId, datasetId, { at });
    return added;
  });

async function hasRoom(reader: Kysely<Database>, userId: number, datasetId: number) {
  const rows = exampleRepository(reader);
  return (
    (await rows.count(userId, datasetId)) < datasetExampleLimit && (await rows.bytes(userId, datasetId)) < maxBytes
  );
}

/** Makes examples of a user's rated answers. */
export function gatheringService({ db, reader }: Pick<OpenDatabase, 'db' | 'reader'>) {
  const answers = ratedAnswerRepository(reader);

  return {
    counts: answers.counts,

    /** True if a new dataset would contain anything. */
    async hasAny(userId: number, format: DatasetFormat, assistantId: number | undefined): Promise<boolean> {
      return (await answers.candidates(userId, format, assistantId, undefined)).length > 0;
    },

    /** Adds new examples; existing ones stay unchanged. */
    async gather(actor: Actor, dataset: { id: number; format: DatasetFormat }, request: GatheringRequest) {
      const { userId } = actor;
      const { id, format } = dataset;
      const candidates = await answers.candidates(userId, format, request.assistantId, id);
      let added = 0;
      let from = 0;
      for (; from < candidates.length && (await hasRoom(reader, userId, id)); from += candidatesAtOnce) {
        const some = candidates.slice(from, from + candidatesAtOnce);
        const examples = await examplesOf(answers, userId, format, request, some);
        for (const batch of inBatches(examples)) added += await store(db, actor, id, batch);
      }
      const full = from < candidates.length || !(await hasRoom(reader, userId, id));
      const left = full ? (await answers.candidates(userId, format, request.assistantId, id)).length : 0;
      return { added, left };
    },
  };
}

export type GatheringService = ReturnType<typeof gatheringService>;
