import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { newThread } from '#server/testing/chat';
import { setUser, withDatabase } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { type MailServer, startMailServer, storedMails } from '#server/testing/mail';
import { until } from '#server/testing/until';

const subject = 'Models you use in Roster retire soon';
/** gpt-4o retires on January 14, 2027. */
const days = {
  91: '2026-10-15',
  61: '2026-11-14',
  60: '2026-11-15',
  14: '2026-12-31',
  1: '2027-01-13',
  0: '2027-01-14',
  after: '2027-02-01',
};

/** Waits until the day’s round is complete and its mails are sent. */
const untilNotified = (app: TestApp, day: string) =>
  until(`The end of the round of ${day}`, () =>
    withDatabase(app, async (db) => {
      const started = await db
        .selectFrom('settings')
        .select('value')
        .where('name', '=', 'model_ends_told')
        .executeTakeFirst();
      const jobs = await db
        .selectFrom('jobs')
        .select('id')
        .where('kind', 'in', ['models.tell-ends', 'mail', 'mail.models-end'])
        .execute();
      return started?.value === day && jobs.length === 0;
    }),
  );

describe.each(engines)('mails about retiring models on %s', (engine) => {
  let app: TestApp;
  let mails: MailServer;
  let today = '2026-06-01';
  beforeAll(async () => {
    mails = await startMailServer();
    app = await startApp(engine, { env: mails.env, now: () => Date.parse(`${today}T12:00:00Z`) });
  });
  /** Each test starts on its own day, which may be before another test’s. */
  beforeEach(() => forgetDay());
  afterAll(async () => {
    await app.stop();
    await mails.stop();
  });

  async function on(day: string) {
    today = day;
    await app.restart();
    await untilNotified(app, day);
  }
  const textsTo = (name: string) =>
    mails
      .to(`${name}@example.com`)
      .filter((mail) => mail.subject === subject)
      .map(({ text }) => text);
  const counts = (...names: string[]) => names.map((name) => textsTo(name).length);
  /** Resets the day, as if it had had no round. */
  const forgetDay = () =>
    withDatabase(app, (db) =>
      db.updateTable('settings').set({ value: '' }).where('name', '=', 'model_ends_told').execute(),
    );

  test('come 60 days, 14 days and one day before, each once', async () => {
    await createAssistant(await app.as('ada'));
    await createAssistant(await app.as('ada'), { name: 'Second' });
    for (const [day, count] of [
      [days[91], 0],
      [days[61], 0],
      [days[60], 1],
      ['2026-11-16', 1],
      ['2026-12-30', 1],
      [days[14], 2],
      ['2027-01-12', 2],
      [days[1], 3],
      [days[0], 3],
      [days.after, 3],
    ] as const) {
      await on(day);
      expect([day, ...counts('ada')]).toEqual([day, count]);
    }
    const [first] = textsTo('ada');
    expect(first).toContain(
      '- gpt-4o retires on January 14, 2027. 2 assistants use it. Its successor is gpt-6.1-terra.',
    );
    expect(first).toMatch(/^http:.*\/assistants\/models$/m);
  });

  test('combine the models of a day, and come once for a user who missed a step', async () => {
    const bob = await app.as('bob');
    await createAssistant(bob, { model: 'gpt-4o-mini' });
    await createAssistant(bob, { model: 'gpt-4.1', name: 'Other' });
    await createAssistant(bob, { model: 'gpt-6-luna', name: 'Stays' });
    await newThread(bob, { model: 'gpt-4o' });
    await on('2027-01-05');
    const [text, ...more] = textsTo('bob');
    expect(more).toEqual([]);
    expect(text?.match(/^- .*$/gm)).toEqual([
      '- gpt-4.1 retires on January 14, 2027. One assistant uses it. Its successor is gpt-6.1-terra.',
      '- gpt-4o retires on January 14, 2027. Its successor is gpt-6.1-terra.',
      '- gpt-4o-mini retires on January 14, 2027. One assistant uses it. Its successor is gpt-6-luna.',
    ]);
    await on('2027-01-06');
    expect(counts('bob')).toEqual([1]);
  });

  test('go out once with several processes and when a round is repeated', async () => {
    today = '2027-01-07';
    const carol = await app.as('carol');
    await createAssistant(carol);
    await app.restart();
    // SQLite has no second process.
    const second = engine === 'postgres' ? await app.secondProcess() : undefined;
    await untilNotified(app, today);
    await forgetDay();
    await app.restart();
    await untilNotified(app, today);
    await second?.stop();
    expect(counts('carol')).toEqual([1]);
  });

  test('skip users who switched them off and inactive accounts', async () => {
    const [dave, eve] = [await app.as('dave'), await app.as('eve')];
    for (const visitor of [dave, eve]) await createAssistant(visitor);
    const { body: preferences } = await dave.get('/api/settings/preferences');
    const { theme, notificationsEnabled, soundEnabled } = preferences;
    const colors = { customColors: false, backgroundColor: null, foregroundColor: null, accentColor: null };
    const save = (visitor: HttpClient, more: object) =>
      visitor.post('/api/settings/preferences', { theme, notificationsEnabled, soundEnabled, ...colors, ...more });
    expect((await save(dave, { modelMails: false })).body.modelMails).toBe(false);
    // An older page does not know the field and changes nothing.
    expect((await save(dave, {})).body.modelMails).toBe(false);
    await setUser(app, 'eve@example.com', { status: 'Inactive' });
    await on('2027-01-08');
    expect(counts('dave', 'eve')).toEqual([0, 0]);
    await save(dave, { modelMails: true });
    await on('2027-01-09');
    expect(counts('dave', 'eve')).toEqual([1, 0]);
  });

  test('come again for a retirement that is postponed for long', async () => {
    const finn = await app.as('finn');
    await createAssistant(finn, { model: 'house-model' });
    const { id: userId } = (await finn.get('/api/user')).body;
    const base_url = app.provider.url;
    const end = async (shutdown_date: string) => {
      const models = { user_id: userId, model: 'house-model', shutdown_date, is_listed: 1 as const };
      await withDatabase(app, async (db) => {
        await db.deleteFrom('listed_models').where('user_id', '=', userId).execute();
        await db.insertInto('listed_models').values(models).execute();
      });
    };
    await withDatabase(app, (db) =>
      db
        .insertInto('model_lists')
        .values({ user_id: userId, base_url, asked_at: '2027-01-09T00:00:00.000Z' })
        .execute(),
    );
    await end('2027-02-20');
    await on('2027-01-10');
    expect(counts('finn')).toEqual([1]);
    await end('2027-02-25');
    await on('2027-01-11');
    expect(counts('finn')).toEqual([1]);
    await end('2027-06-01');
    await on('2027-04-10');
    expect(counts('finn')).toEqual([2]);
  });
});

test.each(engines)('stores these mails like all others without a mail server, on %s', async (engine) => {
  let today = '2026-06-01';
  const app = await startApp(engine, { now: () => Date.parse(`${today}T12:00:00Z`) });
  try {
    await createAssistant(await app.as('ada'));
    today = days[14];
    await app.restart();
    await untilNotified(app, today);
    expect((await storedMails(app)).filter((mail) => mail.subject === subject)).toHaveLength(1);
  } finally {
    await app.stop();
  }
});
