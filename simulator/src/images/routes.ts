import type { FastifyInstance } from 'fastify';
import { contentOf } from '../containers/generated-content.ts';
import { EventStream } from '../generation/event-stream.ts';
import { countTokens } from '../generation/tokens.ts';
import { bodyObject, optionalBoolean, optionalNumber, optionalString, requiredString } from '../http/fields.ts';
import { checkModelFor } from '../models/routes.ts';

import type { World } from '../world.ts';

const USUAL = 'gpt-image-2';
const OUTPUT_TOKENS = 1_056;
const LOOK = { background: 'opaque', output_format: 'png', quality: 'high', size: '1024x1024' } as const;

const usageFor = (prompt: string, images: number) => {
  const input = countTokens(prompt);
  const output = images * OUTPUT_TOKENS;
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_tokens_details: { text_tokens: input, image_tokens: 0 },
  };
};

export function imageRoutes(app: FastifyInstance, world: World): void {
  app.post('/images/generations', async ({ call, body: given }, reply) => {
    const body = bodyObject(given);
    const prompt = requiredString(body, 'prompt');
    checkModelFor('images', call.account, optionalString(body, 'model') ?? USUAL, world.settings);
    const count = optionalNumber(body, 'n', { min: 1, max: 10, integer: true }) ?? 1;
    const created = world.clock.seconds();
    const b64_json = contentOf('drawn.png').toString('base64');
    const usage = usageFor(prompt, count);
    if (optionalBoolean(body, 'stream') !== true) {
      return { created, data: Array.from({ length: count }, () => ({ b64_json })), ...LOOK, usage };
    }
    const stream = new EventStream(reply);
    const sendEvent = (type: string, more: object) => {
      const event = { type, b64_json, created_at: created, ...LOOK, ...more };
      stream.write(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
    };
    const partial = optionalNumber(body, 'partial_images', { min: 0, max: 3, integer: true }) ?? 0;
    for (let index = 0; index < partial; index++)
      sendEvent('image_generation.partial_image', { partial_image_index: index });
    sendEvent('image_generation.completed', { usage });
    await stream.end();
    return reply;
  });
}
