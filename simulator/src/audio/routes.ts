import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { EventStream } from '../generation/event-stream.ts';
import { wait } from '../generation/pacing.ts';
import { countTokens, tokensOf } from '../generation/tokens.ts';
import { invalidRequest } from '../http/errors.ts';
import { bodyObject, missing, oneOf, requiredString } from '../http/fields.ts';
import { checkModelFor } from '../models/routes.ts';
import type { World } from '../world.ts';

const FORMATS = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
} as const;
const MAX_INPUT = 4_096;
const BYTES_A_TOKEN = 1_024;
const sound = (index: number) => Buffer.alloc(BYTES_A_TOKEN, index % 256);
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;

/** A piece of sound for each token, at the pace of an answer. */
async function* spoken(tokens: readonly string[], delayMs: number, { call }: FastifyRequest) {
  for (const index of tokens.keys()) {
    if (delayMs > 0) await wait(delayMs, call.signal);
    if (call.signal.aborted) return;
    call.entry.tokens += 1;
    yield sound(index);
  }
}

async function speakInEvents(reply: FastifyReply, pieces: AsyncIterable<Buffer>, input: number) {
  const stream = new EventStream(reply);
  let output = 0;
  for await (const piece of pieces) {
    output += 1;
    stream.write(event({ type: 'speech.audio.delta', audio: piece.toString('base64') }));
  }
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  stream.write(event({ type: 'speech.audio.done', usage }));
  await stream.end();
}

type Form = { fields: Map<string, string>; filename: string | null; bytes: number };

async function formOf(request: FastifyRequest): Promise<Form> {
  if (!request.isMultipart()) throw invalidRequest('Could not parse multipart form');
  const form: Form = { fields: new Map(), filename: null, bytes: 0 };
  for await (const part of request.parts()) {
    if (part.type === 'field') form.fields.set(part.fieldname, String(part.value));
    else {
      form.filename = part.filename;
      for await (const chunk of part.file) form.bytes += chunk.length;
    }
  }
  return form;
}

const heard = ({ filename, bytes }: Form) => `I heard ${bytes} bytes of ${filename}.`;

async function transcribeInEvents(reply: FastifyReply, text: string, usage: object) {
  const stream = new EventStream(reply);
  for (const delta of tokensOf(text)) stream.write(event({ type: 'transcript.text.delta', delta }));
  stream.write(event({ type: 'transcript.text.done', text, usage }));
  await stream.end();
}

export function audioRoutes(app: FastifyInstance, world: World): void {
  app.post('/audio/speech', async (request, reply) => {
    const { call, body: given } = request;
    const body = bodyObject(given);
    const model = requiredString(body, 'model');
    checkModelFor('speech', call.account, model, world.settings);
    const input = requiredString(body, 'input');
    requiredString(body, 'voice');
    if (input.length > MAX_INPUT)
      throw invalidRequest(`string should have at most ${MAX_INPUT} characters`, 'input', 'string_above_max_length');
    const format = oneOf(body, 'response_format', ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']) ?? 'mp3';
    const tokens = tokensOf(input);
    const pieces = spoken(tokens, world.settings.tokenDelayMs, request);
    if (oneOf(body, 'stream_format', ['audio', 'sse']) === 'sse') {
      await speakInEvents(reply, pieces, tokens.length);
      return reply;
    }
    return reply.header('content-type', FORMATS[format]).send(Readable.from(pieces, { objectMode: false }));
  });

  app.post('/audio/transcriptions', { bodyLimit: world.settings.maxFileBytes }, async (request, reply) => {
    const { call } = request;
    const form = await formOf(request);
    const { fields } = form;
    call.entry.body = { ...Object.fromEntries(fields), filename: form.filename, bytes: form.bytes };
    if (form.filename === null) throw missing('file');
    const model = requiredString(Object.fromEntries(fields), 'model');
    checkModelFor('transcriptions', call.account, model, world.settings);
    const text = heard(form);
    const [input, output] = [Math.ceil(form.bytes / 100), countTokens(text)];
    const usage =
      model === 'whisper-1'
        ? { type: 'duration', seconds: Math.ceil(form.bytes / 1_000) }
        : {
            type: 'tokens',
            input_tokens: input,
            output_tokens: output,
            total_tokens: input + output,
            input_token_details: { text_tokens: 0, audio_tokens: input },
          };
    if (fields.get('stream') === 'true' && model !== 'whisper-1') {
      await transcribeInEvents(reply, text, usage);
      return reply;
    }
    const format = fields.get('response_format') ?? 'json';
    if (format === 'text') return reply.type('text/plain; charset=utf-8').send(`${text}\n`);
    if (format === 'srt') return reply.type('text/plain').send(`1\n00:00:00,000 --> 00:00:01,000\n${text}\n`);
    return { text, usage };
  });
}
