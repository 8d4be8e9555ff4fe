import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filePlaces, startFileApp, uploaded } from '#server/testing/files';

describe.each(filePlaces)('the check of a training file on %s and %s', (engine, store) => {
  let place: Awaited<ReturnType<typeof startFileApp>>;
  beforeAll(async () => {
    place = await startFileApp(engine, store);
    await place.app.as('admin');
  });
  afterAll(() => place.stop());
  test('counts examples and tokens', async () => {
    const v = await place.app.as('ada');
    const lines = Array.from({ length: 60 }, (_, n) =>
      JSON.stringify({
        messages: [
          { role: 'user', content: `What is ${n}?` },
          { role: 'assistant', content: `It is ${n}.` },
        ],
      }),
    );
    const f = await uploaded(place.app, v, { filename: 'a.jsonl', content: lines.join('\n'), purpose: 'fine-tune' });
    const { status, body } = await v.post('/api/fine-tuning/validate', {
      trainingFileId: f.id,
      baseModel: 'gpt-4o-mini-2024-07-18',
    });
    expect([status, body.ok, body.training.examples]).toEqual([200, true, 60]);
  });
});
