import type { AbilityCheck } from '@roster/contracts/connections/connections';
import { isObject } from '#server/lib/is-object';
import type { ConnectionKey } from '#server/provider/connections/connection-key';
import type { AnswerPiece, AnswerRequest, ConversationTurn } from '#server/provider/provider';

/** A PNG of 32 by 32 red pixels: small, and large enough for models that refuse tiny images. */
const redImage = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJ0lEQVR42u3NsQkAAAjAsP7/tF7hIASyp6lTCQQCgUAgEAgEgi/BAjLD/C5w/SM9AAAAAElFTkSuQmCC',
  'base64',
);

export type ProbeResult = Pick<AbilityCheck, 'result' | 'reason'>;

/** Enough for a model that reasons first; the provider may bill them. */
const maxOutputTokens = 500;

const works = (reason: string | null = null): ProbeResult => ({ result: 'works', reason });
const fails = (reason: string): ProbeResult => ({ result: 'fails', reason });

type ProbeAnswer = { pieces: AnswerPiece[]; packets: number; text: string; reasoningTokens: number };

/** One short answer. @throws ProviderError, or the signal's reason */
async function ask(
  key: ConnectionKey,
  model: string,
  turn: Pick<ConversationTurn, 'text' | 'files'>,
  signal: AbortSignal,
  more: Partial<AnswerRequest> = {},
): Promise<ProbeAnswer> {
  const pieces: AnswerPiece[] = [];
  let packets = 0;
  const request: AnswerRequest = {
    apiKey: key,
    model,
    instructions: 'Answer as briefly as possible.',
    turns: [{ role: 'user', ...turn }],
    temperature: null,
    effort: null,
    maxOutputTokens,
    ...more,
  };
  const { usage } = await key.provider.answer(
    request,
    (added) => {
      packets++;
      pieces.push(...added);
    },
    signal,
  );
  const text = pieces.flatMap((piece) => (piece.type === 'text' ? piece.text : [])).join('');
  return { pieces, packets, text, reasoningTokens: usage?.reasoningTokens ?? 0 };
}

const hasReasoning = ({ pieces, reasoningTokens }: ProbeAnswer) =>
  pieces.some(({ type }) => type === 'reasoning') || reasoningTokens > 0;

/** An answer long enough to come in several parts. */
export async function probeAnswer(
  key: ConnectionKey,
  model: string,
  signal: AbortSignal,
): Promise<{ answer: ProbeResult; streaming: ProbeResult; reasoning: ProbeResult | undefined }> {
  const answer = await ask(key, model, { text: 'Count from 1 to 20 in figures, with commas between them.' }, signal);
  const reasoning = hasReasoning(answer) ? works(model) : undefined;
  if (answer.text.trim() === '' && !reasoning)
    return { answer: fails(`${model} returned an empty answer.`), streaming: fails('No text came.'), reasoning };
  const streaming = answer.packets > 1 ? works() : fails('The answer came in one piece, so it appears all at once.');
  return { answer: works(model), streaming, reasoning };
}

async function probeReasoning(key: ConnectionKey, model: string, signal: AbortSignal): Promise<ProbeResult> {
  const answer = await ask(key, model, { text: 'Is 91 a prime number?' }, signal, { effort: 'low' });
  return hasReasoning(answer) ? works(model) : fails(`${model} sent no reasoning. Models that reason may send it.`);
}

async function probeTools(key: ConnectionKey, model: string, signal: AbortSignal): Promise<ProbeResult> {
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  };
  const functions = [{ name: 'get_weather', description: 'The weather in a city', parameters }];
  const { pieces } = await ask(key, model, { text: 'What is the weather in Paris? Call get_weather.' }, signal, {
    tools: { functions, codeInterpreter: null, choice: 'auto', isParallel: false },
  });
  const call = pieces.find((piece) => piece.type === 'tool' && piece.call.name === 'get_weather');
  return call ? works(model) : fails(`${model} answered without calling the tool that it was given.`);
}

async function probeImages(key: ConnectionKey, model: string, signal: AbortSignal): Promise<ProbeResult> {
  const read = async () => redImage;
  const image = { filename: 'color.png', kind: 'image', mediaType: 'image/png', detail: 'low', read } as const;
  const turn = { text: 'Which color fills this image? Answer with one word.', files: [image] };
  const { text } = await ask(key, model, turn, signal);
  return /\bred\b/i.test(text)
    ? works(model)
    : fails(`${model} did not recognize a red image, so it probably sees none.`);
}

const colorSchema = {
  type: 'object',
  properties: { color: { type: 'string', enum: ['red', 'green'] } },
  required: ['color'],
  additionalProperties: false,
};

function isColor(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && (value.color === 'red' || value.color === 'green') && Object.keys(value).length === 1;
  } catch {
    return false;
  }
}

async function probeJsonSchema(key: ConnectionKey, model: string, signal: AbortSignal): Promise<ProbeResult> {
  const format = { type: 'json_schema', json_schema: { name: 'color', schema: colorSchema, strict: true } } as const;
  const { text } = await ask(key, model, { text: 'Choose a color.' }, signal, { format });
  return isColor(text.trim()) ? works(model) : fails(`${model} did not keep to the JSON schema that it was given.`);
}

/** Asked of a model once it has answered. */
export const answerProbes = {
  reasoning: probeReasoning,
  tools: probeTools,
  images: probeImages,
  jsonSchema: probeJsonSchema,
};
