import { dayOf } from '@roster/contracts/usage/day';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { defineJob, type JobHandler, jobHandler } from '#server/jobs/define';
import { enqueue } from '#server/jobs/queue';
import { hourMs, type ScheduledTask } from '#server/lib/scheduled-task';
import { newMailJob } from '#server/mail/job';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { bySoonestRetirement, type RetirementDate, retirementOf } from './dates.ts';
import { modelListRepository } from './list-repository.ts';
import { type Notification, notificationRepository } from './notification-repository.ts';

type Dependencies = { db: Kysely<Database>; catalogue: Catalogue; baseUrl: string; now: () => number };

/** So many days before the end somebody is told, each time once. */
const noticeDays = [1, 14, 60];
const usersAtOnce = 100;
/** What one mail names; it says how many more there are. */
const namedAtMost = 20;
/** More models than anybody uses. */
const notedAtMost = 500;
/** A date that is put off by more is another end, of which is told anew. */
const sameRetirementDays = 30;

const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000;

/** Only the latest step that is due: whoever was not told in time is told once. */
const dueStep = (days: number) => (days < 1 ? undefined : noticeDays.find((step) => days <= step));

/** A round of one day, from the user after this one on. */
export const notifyJob = defineJob({
  name: 'models.tell-ends',
  payload: z.object({ day: z.string(), after: z.number().int() }),
  atOnce: 1,
});

type Due = RetirementDate & { step: number; assistants: number };

const wasNotified = (told: Notification[], userId: number, { model, step, shutdownDate }: Due) =>
  told.some(
    (one) =>
      one.userId === userId &&
      one.model === model &&
      one.step === step &&
      daysBetween(one.shutdownDate, shutdownDate) <= sameRetirementDays,
  );

/** Writes down who is told what and has it mailed, in the transaction of the caller. */
async function notify(trx: Kysely<Database>, { now }: Dependencies, userId: number, due: Due[]) {
  const noted = await notificationRepository(trx).note(
    userId,
    due.slice(0, notedAtMost),
    new Date(now()).toISOString(),
  );
  const models = due
    .filter(({ model }) => noted.has(model))
    .map(({ model, shutdownDate, successor, assistants }) => ({ model, shutdownDate, successor, assistants }));
  if (models.length === 0) return;
  const more = Math.max(0, models.length - namedAtMost);
  await enqueue(trx, newMailJob, { template: 'models_end', userId, models: models.slice(0, namedAtMost), more });
}

/** What is due to be told to the users of a batch. */
async function dueNotices({ db, catalogue, baseUrl, now }: Dependencies, userIds: number[], day: string) {
  const repository = notificationRepository(db);
  const [inUse, told, lists] = await Promise.all([
    repository.inUse(userIds, now()),
    repository.told(userIds),
    modelListRepository(db).findAll(userIds, baseUrl),
  ]);
  return userIds.flatMap((userId) => {
    const sources = { catalogue, list: lists.get(userId) ?? null, today: day };
    const due = inUse
      .filter((used) => used.userId === userId)
      .flatMap(({ model, baseModel, assistants }): Due[] => {
        const end = retirementOf(sources, { model, baseModel: baseModel ?? undefined });
        const step = end && dueStep(daysBetween(day, end.shutdownDate));
        return end && step ? [{ ...end, step, assistants }] : [];
      })
      .filter((end) => !wasNotified(told, userId, end))
      .sort(bySoonestRetirement);
    return due.length > 0 ? [{ userId, due }] : [];
  });
}

async function notifyBatch(dependencies: Dependencies, day: string, after: number) {
  const { db } = dependencies;
  const userIds = await notificationRepository(db).recipients(after, usersAtOnce);
  const last = userIds.at(-1);
  if (last === undefined) return;
  const found = await dueNotices(dependencies, userIds, day);
  await db.transaction().execute(async (trx) => {
    for (const { userId, due } of found) await notify(trx, dependencies, userId, due);
    if (userIds.length === usersAtOnce) await enqueue(trx, notifyJob, { day, after: last });
  });
}

/** Has people told by mail which of their models end, in one round a day: whichever process is there begins it. */
export function notifyOfRetirement(dependencies: Dependencies): { upkeep: ScheduledTask[]; jobs: JobHandler[] } {
  const { db, now } = dependencies;
  const beginDay = () =>
    db.transaction().execute(async (trx) => {
      const day = dayOf(now());
      if (await notificationRepository(trx).claimDay(day)) await enqueue(trx, notifyJob, { day, after: 0 });
    });
  return {
    upkeep: [{ everyMs: hourMs, atStart: true, run: beginDay }],
    jobs: [jobHandler(notifyJob, ({ day, after }) => notifyBatch(dependencies, day, after))],
  };
}
