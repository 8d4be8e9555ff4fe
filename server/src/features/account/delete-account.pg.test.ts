import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { password, startApp, type TestApp } from '#server/testing/app';
import { createAssistant } from '#server/testing/assistants';
import { asksOf, newThread, post, sendMessage, until } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { openEvents } from '#server/testing/events';
import { createHttpClient, type HttpClient } from '#server/testing/http-client';
import { rowsOf } from '#server/testing/rows';

const path = '/api/user';
const close = (visitor: HttpClient, body: unknown = { password }) => visitor.delete(path, body);

describe('closing an account with several processes on one PostgreSQL', () => {
  let app: TestApp;
  let second: { url: string; origin: string };
  beforeAll(async () => {
    app = await startApp('postgres');
    await app.as('admin');
    second = await app.secondProcess();
  });
  afterAll(() => app.stop());

  function there(visitor: HttpClient): HttpClient {
    const led = createHttpClient(() => second);
    for (const [name, value] of visitor.cookies) led.cookies.set(name, value);
    return led;
  }
  const rows = (userId: number) => withDatabase(app, (db) => rowsOf(db, 'postgres', userId));

  test('stops answers that another process writes, and closes streams there', async () => {
    const ada = await app.withKey('ada');
    const adaThere = there(ada);
    const userId: number = (await ada.get(path)).body.id;
    const { run } = await sendMessage(adaThere, await newThread(adaThere), 'from afar [[bench 40000]] [[delay 20]]');
    const reader = await openEvents(second, adaThere, run.id);
    await reader.until(10);
    expect((await close(ada)).status).toBe(204);
    await reader.all();
    for (const [table, found] of await rows(userId)) expect(found, table).toEqual([]);
    expect((await adaThere.get(path)).status).toBe(401);
    await until('The end of the call', async () =>
      (await asksOf(app)).some(({ body, aborted }) => aborted && JSON.stringify(body).includes('from afar')),
    );
  });

  test.each([0, 1, 2, 3, 4, 5])('leaves nothing behind while messages are sent through both (%i)', async (round) => {
    const bob = await app.withKey(`bob${round}`);
    const userId: number = (await bob.get(path)).body.id;
    const assistants = await Promise.all([1, 2, 3, 4].map(() => createAssistant(bob)));
    const threads = await Promise.all(assistants.map((assistantId) => newThread(bob, { assistantId })));
    const visitors = [bob, there(bob), bob, there(bob)];
    const statuses: number[] = [];
    const sending = visitors.map(async (visitor, index) => {
      const threadId = Number(threads[index]);
      for (let status = 0; status !== 401; statuses.push(status))
        ({ status } = await post(visitor, threadId, 'Hello [[bench 3]]'));
    });
    const deleting = assistants.map((id, index) => visitors[index]?.delete(`/api/assistants/${id}`));
    await until('Some messages', async () => statuses.filter((status) => status === 202).length > round);
    const answers = await Promise.all([close(there(bob)), close(there(bob))]);
    for (const { status } of answers) expect([204, 401, 503]).toContain(status);
    if (!answers.some(({ status }) => status === 204)) expect((await close(there(bob))).status).toBe(204);
    await Promise.all(sending);
    await Promise.all(deleting);
    for (const status of statuses) expect([202, 401, 403, 404, 409]).toContain(status);
    for (const [table, found] of await rows(userId)) expect(found, table).toEqual([]);
    expect(app.logLines.filter((line) => Number(JSON.parse(line).level) >= 50)).toEqual([]);
  });
});
