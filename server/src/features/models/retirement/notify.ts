import { dayOf } from '@roster/contracts/usage/day';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '#server/db/schema';
import { defineJob, type JobHandler, jobHandler } from '#server/jobs/define';
import { enqueue } from '#server/jobs/queue';
import { hourMs, type ScheduledTask } from '#server/lib/scheduled-task';
import { retirementMailJob } from '#server/mail/job';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { bySoonestRetirement, type RetirementDate, retirementOf } from './dates.ts';
import { modelListRepository } from './list-repository.ts';
import { type Notification, notificationRepository } from './notification-repository.ts';

type Dependencies = { db: Kysely<Database>; catalogue: Catalogue; baseUrl: string; now: () => number };

/** Days before retirement on which owners are notified, each once. */
const noticeDays = [1, 14, 60];
const usersAtOnce = 100;
/** Models named in one mail, which also says how many more there are. */
const maxNamed = 20;
/** More models than anybody uses. */
const maxNoted = 500;
/** A date postponed by more days than this is a new retirement, with new notices. */
const sameRetirementDays = 30;

const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000;

/** Only the latest step that is due: a user who missed earlier ones is notified once. */
const dueStep = (days: number) => (days < 1 ? undefined : noticeDays.find((step) => days <= step));

/** One day’s round, starting after the user `after`. */
const notifyJob = defineJob({
  name: 'models.tell-ends',
  payload: z.object({ day: z.string(), after: z.number().int() }),
  atOnce: 1,
});

type DueNotice = RetirementDate & { step: number; assistants: number };

const wasNotified = (sent: Notification[], userId: number, { model, step, shutdownDate }: DueNotice) =>
  sent.some(
    (one) =>
      one.userId === userId &&
      one.model === model &&
      one.step === step &&
      daysBetween(one.shutdownDate, shutdownDate) <= sameRetirementDays,
  );

/** Records the notices and queues the mail, in the caller’s transaction. */
async function notify(trx: Kysely<Database>, { now }: Dependencies, userId: number, due: DueNotice[]) {
  const noted = await notificationRepository(trx).note(userId, due.slice(0, maxNoted), new Date(now()).toISOString());
  const models = due
    .filter(({ model }) => noted.has(model))
    .map(({ model, shutdownDate, successor, assistants }) => ({ model, shutdownDate, successor, assistants }));
  if (models.length === 0) return;
  const more = Math.max(0, models.length - maxNamed);
  await enqueue(trx, retirementMailJob, { template: 'models_end', userId, models: models.slice(0, maxNamed), more });
}

/** Notices that are due for the users of a batch. */
async function dueNotices({ db, catalogue, baseUrl, now }: Dependencies, userIds: number[], day: string) {
  const repository = notificationRepository(db);
  const [inUse, sent, lists] = await Promise.all([
    repository.inUse(userIds, now()),
    repository.sent(userIds),
    modelListRepository(db).findAll(userIds, baseUrl),
  ]);
  return userIds.flatMap((userId) => {
    const sources = { catalogue, list: lists.get(userId) ?? null, today: day };
    const due = inUse
      .filter((used) => used.userId === userId)
      .flatMap(({ model, baseModel, assistants }): DueNotice[] => {
        const end = retirementOf(sources, { model, baseModel: baseModel ?? undefined });
        const step = end && dueStep(daysBetween(day, end.shutdownDate));
        return end && step ? [{ ...end, step, assistants }] : [];
      })
      .filter((end) => !wasNotified(sent, userId, end))
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

/** Notifies users by mail of retiring models, in one round a day that any process can start. */
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
