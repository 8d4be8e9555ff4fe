import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { countTokens } from '../generation/tokens.ts';
import { invalidRequest } from '../http/errors.ts';
import { bodyObject, missing, oneOf, optionalNumber, requiredString } from '../http/fields.ts';
import { checkModelFor } from '../models/routes.ts';
import type { World } from '../world.ts';

const MAX_INPUTS = 2_048;
const dimensionsOf = (model: string) => (model.endsWith('-large') ? 3_072 : 1_536);

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'number');

/** Texts, or lists of tokens. */
function inputsOf(input: unknown): (string | number[])[] {
  if (input === undefined || input === null) throw missing('input');
  const all = typeof input === 'string' || (isNumbers(input) && input.length > 0) ? [input] : input;
  if (!Array.isArray(all) || all.length === 0 || all.length > MAX_INPUTS || all.some((one) => one === ''))
    throw invalidRequest("'$.input' is invalid. Please check the API reference.", 'input');
  return all.map((one) => {
    if (typeof one === 'string' || isNumbers(one)) return one;
    throw invalidRequest("'$.input' is invalid. Please check the API reference.", 'input');
  });
}

/** The same text has the same direction; its length is 1. */
function embed(input: string | number[], dimensions: number): Float32Array {
  const seed = createHash('sha256').update(JSON.stringify(input)).digest();
  const values = Float32Array.from({ length: dimensions }, (_, at) => (seed[at % seed.length] ?? 0) - 127 + (at % 7));
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

export function embeddingRoutes(app: FastifyInstance, world: World): void {
  app.post('/embeddings', ({ call, body: given }) => {
    const body = bodyObject(given);
    const model = requiredString(body, 'model');
    checkModelFor('embeddings', call.account, model, world.settings);
    const inputs = inputsOf(body.input);
    const most = dimensionsOf(model);
    const dimensions = optionalNumber(body, 'dimensions', { min: 1, max: most, integer: true }) ?? most;
    const isPacked = oneOf(body, 'encoding_format', ['float', 'base64']) === 'base64';
    const data = inputs.map((input, index) => {
      const values = embed(input, dimensions);
      const embedding = isPacked ? Buffer.from(values.buffer).toString('base64') : [...values];
      return { object: 'embedding', index, embedding };
    });
    const tokens = inputs
      .map((input) => (typeof input === 'string' ? countTokens(input) : input.length))
      .reduce((sum, one) => sum + one, 0);
    return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
  });
}
