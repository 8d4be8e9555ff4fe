import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, password, startApp, type TestApp } from '#server/testing/app';
import { newThread, sendMessage, until } from '#server/testing/chat';
import { type EventReader, lastOf, openEvents, readEvents } from '#server/testing/events';
import { createHttpClient, type HttpClient } from '#server/testing/http-client';

describe.each(engines)('open streams on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(engine);
    await app.as('ada');
  });
  afterAll(() => app.stop());

  /** A user with an answer that runs until it is stopped. */
  async function watching(name: string) {
    const visitor = await app.withKey(name);
    const { run } = await sendMessage(visitor, await newThread(visitor), '[[bench 40000]] [[delay 20]]');
    return { visitor, run, stop: () => visitor.post(`/api/runs/${run.id}/stop`) };
  }

  async function closesSoon(reader: EventReader) {
    // In the middle of an answer that takes minutes.
    expect(lastOf(await reader.all())?.type).toBe('text');
  }

  test('have headers against caching and changes, and the usual protection', async () => {
    const { visitor, run, stop } = await watching('headers');
    const { headers, leave } = await openEvents(app, visitor, run.id);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'same-origin',
    });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-encoding']).toBeUndefined();
    leave();
    await stop();
  });

  test('are limited to ten per user; the eleventh waits until one is closed', async () => {
    const { visitor, run, stop } = await watching('many');
    const readers = await Promise.all(Array.from({ length: 10 }, () => openEvents(app, visitor, run.id)));
    expect(readers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const refused = await visitor.get(`/api/runs/${run.id}/events`);
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([429, 'rate_limited', '5']);
    const other = await watching('another');
    const theirs = await openEvents(app, other.visitor, other.run.id);
    expect(theirs.status).toBe(200);
    readers[0]?.leave();
    await until('A free place', async () => {
      const reader = await openEvents(app, visitor, run.id);
      return reader.status === 200;
    });
    await stop();
    await other.stop();
  });

  test('are not counted if the reader disconnected while they were opened', async () => {
    const { visitor, run, stop } = await watching('hasty');
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    for (let round = 0; round < 8; round++) {
      const leaving = Array.from({ length: 8 }, async (_, index) => {
        const controller = new AbortController();
        const opened = request(`${app.url}/api/runs/${run.id}/events`, {
          headers: { cookie },
          signal: controller.signal,
        }).then(
          ({ body }) => body.on('error', () => undefined).destroy(),
          () => undefined,
        );
        for (let turn = 0; turn < index * 3; turn++) await new Promise((resolve) => setImmediate(resolve));
        controller.abort();
        await opened;
      });
      await Promise.all(leaving);
    }
    const readers = await until('Ten free places', async () => {
      const opened = await Promise.all(Array.from({ length: 10 }, () => openEvents(app, visitor, run.id)));
      if (opened.every(({ status }) => status === 200)) return opened;
      for (const { leave } of opened) leave();
      return undefined;
    });
    for (const { leave } of readers) leave();
    await stop();
  });

  test('close when their session ends, here or from another device', async () => {
    const { visitor, run } = await watching('leaver');
    const elsewhere: HttpClient = createHttpClient(() => ({ url: app.url, origin: app.url }));
    await elsewhere.post('/api/login', { email: 'leaver@example.com', password });
    const here = await openEvents(app, visitor, run.id);
    const there = await openEvents(app, elsewhere, run.id);
    await Promise.all([here.until(1), there.until(1)]);
    expect((await elsewhere.post('/api/logout')).status).toBeLessThan(300);
    await closesSoon(there);
    expect(here.hasEnded).toBe(false);
    const again: HttpClient = createHttpClient(() => ({ url: app.url, origin: app.url }));
    await again.post('/api/login', { email: 'leaver@example.com', password });
    const { body: sessions } = await again.get('/api/user/sessions');
    for (const { id, isCurrent } of sessions) if (!isCurrent) await again.delete(`/api/user/sessions/${id}`);
    await closesSoon(here);
    expect((await visitor.get(`/api/runs/${run.id}/events`)).status).toBe(401);
    // The answer is not affected.
    const reader = await openEvents(app, again, run.id);
    await reader.until(here.events.length + 5);
    expect((await again.post(`/api/runs/${run.id}/stop`)).body.state).toBe('stopped');
    expect(lastOf(await reader.all())).toEqual({ type: 'finished', reason: 'stopped' });
  });

  test('return ordinary errors for other requests', async () => {
    const { visitor, run, stop } = await watching('asker');
    await stop();
    const { status, headers } = await visitor.get('/api/runs/0/events');
    expect([status, headers['content-type']]).toEqual([400, 'application/json; charset=utf-8']);
    expect((await readEvents(app, visitor, run.id)).length).toBeGreaterThan(0);
  });
});
