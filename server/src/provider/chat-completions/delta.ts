import { isObject, type JsonObject } from '#server/lib/is-object';

/** Receives the contents of a delta or a whole message. */
type DeltaSink = {
  text: (text: string) => void;
  reasoning: (text: string) => void;
  refusal: (text: string) => void;
  image: (address: string) => void;
};

/** The text in a string, in a list of parts, or in a part that contains it. */
function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textIn).join('');
  if (!isObject(value)) return '';
  return textIn(value.text ?? value.thinking ?? value.summary ?? value.content ?? value.value);
}

/** Servers may repeat the same reasoning in several of these. */
const reasoningFields = ['reasoning_content', 'reasoning', 'thinking', 'reasoning_details'];

function readReasoning(delta: JsonObject, { reasoning }: DeltaSink) {
  for (const field of reasoningFields) {
    const value = delta[field];
    const text = value === undefined || value === null ? '' : textIn(value);
    if (text !== '') return reasoning(text);
  }
}

function imageIn(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isObject(part)) return '';
  if (typeof part.b64_json === 'string') return `data:image/png;base64,${part.b64_json}`;
  return imageIn(part.image_url ?? part.url);
}

function readImage(part: unknown, { image }: DeltaSink) {
  const address = imageIn(part);
  if (address !== '') image(address);
}

const isOfThought = (type: unknown) => typeof type === 'string' && /think|reason/.test(type);

function readPart(part: unknown, sink: DeltaSink) {
  if (typeof part === 'string') return sink.text(part);
  if (!isObject(part)) return;
  if (part.image_url !== undefined) return readImage(part, sink);
  if (typeof part.refusal === 'string') return sink.refusal(part.refusal);
  const text = textIn(part);
  if (text === '') return;
  if (isOfThought(part.type) || part.thinking !== undefined) sink.reasoning(text);
  else sink.text(text);
}

/** Reads a delta field by field, so that an unusual or unknown field does not affect the others. */
export function readDelta(delta: JsonObject, sink: DeltaSink) {
  readReasoning(delta, sink);
  const { content, refusal, images } = delta;
  if (typeof content === 'string') sink.text(content);
  else if (Array.isArray(content)) for (const part of content) readPart(part, sink);
  else readPart(content, sink);
  if (typeof refusal === 'string') sink.refusal(refusal);
  if (Array.isArray(images)) for (const image of images) readImage(image, sink);
}
