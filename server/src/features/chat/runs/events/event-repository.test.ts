import { expect, onTestFinished, test } from 'vitest';
import { engines, startApp } from '#server/testing/app';
import { ask, newThread } from '#server/testing/chat';
import { withDatabase } from '#server/testing/database';
import { eventRepository } from './event-repository.ts';

test.each(engines)('accepts a batch again whose confirmation was lost, with later events, on %s', async (engine) => {
  const app = await startApp(engine);
  onTestFinished(() => app.stop());
  const ada = await app.withKey('ada');
  const { run } = await ask(app, ada, await newThread(ada, { title: 'Named' }), 'hello');
  const stored = await withDatabase(app, async (db) => {
    const events = eventRepository(db);
    const batch = (first: number, last: number, frames: string) => [{ runId: run.id, first, last, frames }];
    await events.store([], batch(1, 2, 'one two'));
    await events.store([], batch(1, 4, 'one two three four'));
    // A late batch changes nothing.
    await events.store([], batch(1, 2, 'one two'));
    await events.store([], batch(5, 5, 'five'));
    return events.after(run.id, 2);
  });
  expect(stored.map(({ first, last, frames }) => [first, last, frames])).toEqual([
    [1, 4, 'one two three four'],
    [5, 5, 'five'],
  ]);
});
