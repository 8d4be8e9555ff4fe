import type { FastifyInstance } from 'fastify';
import { bodyObject, isObject, missing, optionalString } from '../http/fields.ts';
import { checkModelFor } from '../models/routes.ts';
import { newId } from '../state/identifiers.ts';
import type { World } from '../world.ts';

const USUAL = 'omni-moderation-latest';
const CATEGORIES = [
  ...['harassment', 'harassment/threatening', 'hate', 'hate/threatening', 'illicit', 'illicit/violent', 'self-harm'],
  ...['self-harm/instructions', 'self-harm/intent', 'sexual', 'sexual/minors', 'violence', 'violence/graphic'],
];
const flags = (text: string) => (/\b(kill|attack)\b/i.test(text) ? ['violence'] : []);

/** One for each text; the parts of one message are judged together. */
function textsOf(input: unknown): string[] {
  if (input === undefined || input === null) throw missing('input');
  if (!Array.isArray(input)) return [String(input)];
  if (input.some(isObject)) return [JSON.stringify(input)];
  return input.map(String);
}

export function moderationRoutes(app: FastifyInstance, world: World): void {
  app.post('/moderations', ({ call, body: given }) => {
    const body = bodyObject(given);
    const model = optionalString(body, 'model') ?? USUAL;
    checkModelFor('moderations', call.account, model, world.settings);
    const results = textsOf(body.input).map((text) => {
      const found = flags(text);
      const per = <Value>(of: (category: string) => Value) =>
        Object.fromEntries(CATEGORIES.map((category) => [category, of(category)]));
      return {
        flagged: found.length > 0,
        categories: per((category) => found.includes(category)),
        category_scores: per((category) => (found.includes(category) ? 0.97 : 0.0001)),
        category_applied_input_types: per(() => ['text']),
      };
    });
    return { id: newId('modr-'), model: model.replace('-latest', '-2024-09-26'), results };
  });
}
