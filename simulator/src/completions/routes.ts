import type { FastifyInstance } from 'fastify';
import { EventStream } from '../generation/event-stream.ts';
import { wait } from '../generation/pacing.ts';
import { countTokens, tokensOf } from '../generation/tokens.ts';
import {
  bodyObject,
  missing,
  optionalBoolean,
  optionalNumber,
  optionalObject,
  requiredString,
} from '../http/fields.ts';
import { checkModelFor } from '../models/routes.ts';
import { newId } from '../state/identifiers.ts';
import type { World } from '../world.ts';

const USUAL_TOKENS = 16;

function promptOf(prompt: unknown): string {
  if (prompt === undefined || prompt === null) throw missing('prompt');
  return Array.isArray(prompt) ? prompt.join(' ') : String(prompt);
}

/** Continues the prompt with its own words, without end. */
function continuation(prompt: string, most: number): string[] {
  const own = tokensOf(` ${prompt.trim() || 'and so on'}`);
  return Array.from({ length: most }, (_, at) => own[at % own.length] ?? ' ');
}

export function completionRoutes(app: FastifyInstance, world: World): void {
  app.post('/completions', async ({ call, body: given }, reply) => {
    const body = bodyObject(given);
    const model = requiredString(body, 'model');
    checkModelFor('completions', call.account, model, world.settings);
    const prompt = promptOf(body.prompt);
    const tokens = continuation(prompt, optionalNumber(body, 'max_tokens', { min: 1, integer: true }) ?? USUAL_TOKENS);
    const head = { id: newId('cmpl-'), object: 'text_completion', created: world.clock.seconds(), model };
    const input = countTokens(prompt);
    const usage = { prompt_tokens: input, completion_tokens: tokens.length, total_tokens: input + tokens.length };
    const choice = (text: string, finish: string | null) => [{ text, index: 0, logprobs: null, finish_reason: finish }];
    if (optionalBoolean(body, 'stream') !== true) {
      call.entry.tokens = tokens.length;
      return { ...head, choices: choice(tokens.join(''), 'length'), usage };
    }
    const stream = new EventStream(reply);
    const sendChunk = (fields: object) => stream.write(`data: ${JSON.stringify({ ...head, ...fields })}\n\n`);
    for (const token of tokens) {
      if (world.settings.tokenDelayMs > 0) await wait(world.settings.tokenDelayMs, stream.signal);
      if (stream.signal.aborted) return reply;
      sendChunk({ choices: choice(token, null) });
      call.entry.tokens += 1;
    }
    sendChunk({ choices: choice('', 'length') });
    if (optionalObject(body, 'stream_options')?.include_usage === true) sendChunk({ choices: [], usage });
    stream.write('data: [DONE]\n\n');
    await stream.end();
    return reply;
  });
}
