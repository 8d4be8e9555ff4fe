import { describe, expect, onTestFinished, test } from 'vitest';
import { emptyDatabase, engines } from '#server/testing/app';
import { until } from '#server/testing/chat';
import { killableServer, registered } from '#server/testing/crash';
import { withDatabase } from '#server/testing/database';
import { startMailServer } from '#server/testing/mail';

const subject = 'Confirm your email address for Roster';

describe.each(engines)('killed server on %s', (engine) => {
  async function started() {
    const database = await emptyDatabase(engine);
    const mails = await startMailServer();
    const server = await killableServer({
      ...mails.env,
      DATA_DIR: database.dataDir,
      PROVIDER_BASE_URL: 'http://127.0.0.1:1/v1',
      ...(database.url && { DATABASE_URL: database.url }),
    });
    onTestFinished(async () => {
      await server.kill();
      await mails.stop();
      await database.remove();
    });
    await server.start();
    return { mails, server, place: { dataDir: database.dataDir, databaseUrl: database.url } };
  }

  test('mails after its next start what it was mailing', async () => {
    const { mails, server, place } = await started();
    const held = mails.hold();
    await registered(server, 'ada');
    await held.untilWaiting(1);
    await server.kill();
    mails.state.refusal = { code: 451, text: 'the connection is gone' };
    held.release();
    await until('the end of the held mail', async () => mails.state.refused === 1);
    mails.state.refusal = undefined;
    await server.start();
    // The dead process's lease is over.
    await withDatabase(place, (db) =>
      db
        .updateTable('jobs')
        .set({ claimed_until: new Date().toISOString() })
        .where('claimed_until', 'is not', null)
        .execute(),
    );
    await mails.mailTo('ada@example.com', subject);
    expect(mails.received).toHaveLength(1);
  });

  test('stops in time while a mail server does not answer', async () => {
    const { mails, server } = await started();
    const held = mails.hold();
    await registered(server, 'ada');
    await held.untilWaiting(1);
    expect(await server.terminate()).toBe(0);
    held.release();
  });
});
