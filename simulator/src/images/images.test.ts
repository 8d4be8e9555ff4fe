import { expect, test } from 'vitest';
import { eventsIn, expectSchema, listAt, startedSimulator, typesOf } from '../testing.ts';

test('draws as many images as asked for, and counts their tokens', async () => {
  const { post } = await startedSimulator();
  const { body } = await post('/images/generations', { prompt: 'A cat', n: 2 });
  expectSchema('ImagesResponse', body);
  expect(listAt(body, 'data')).toHaveLength(2);
  expect(body.usage).toMatchObject({ output_tokens: 2_112 });
});

test('draws in events', async () => {
  const { post } = await startedSimulator();
  const events = eventsIn(
    (await post('/images/generations', { model: 'gpt-image-2', prompt: 'A cat', stream: true, partial_images: 1 }))
      .text,
  );
  expect(typesOf(events)).toEqual(['image_generation.partial_image', 'image_generation.completed']);
  expectSchema('ImageGenCompletedEvent', events.at(-1));
});
