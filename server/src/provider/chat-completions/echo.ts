import { isObject, type JsonObject } from '#server/lib/is-object';

/** Reasoning that some providers want back unchanged with the calls that it led to. */
const thoughtField = 'reasoning_content';
const detailsField = 'reasoning_details';
/** Fields of a detail whose text arrives in pieces. */
const inPieces = ['text', 'summary'];

/** Appends one piece of a detail to the previous one if both belong together. */
function joined(last: JsonObject, next: JsonObject): JsonObject | undefined {
  if (last.type !== next.type || last.index !== next.index) return undefined;
  const field = inPieces.find((name) => typeof last[name] === 'string' || typeof next[name] === 'string');
  if (field === undefined) return undefined;
  const fields = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== null));
  return { ...last, ...fields, [field]: `${last[field] ?? ''}${next[field] ?? ''}` };
}

/** Collects the fields that a model's message must carry when it is sent back with tool outputs. */
export function createEchoCollector() {
  let thought = '';
  const details: JsonObject[] = [];
  let length = 0;
  return {
    add(delta: JsonObject) {
      const { [thoughtField]: text, [detailsField]: list } = delta;
      if (typeof text === 'string') thought += text;
      if (!Array.isArray(list)) return;
      for (const detail of list.filter(isObject)) {
        const last = details.at(-1);
        const whole = last && joined(last, detail);
        if (whole) details[details.length - 1] = whole;
        else details.push(detail);
        length += JSON.stringify(detail).length;
      }
    },
    /** undefined: nothing to send back. */
    fields(): JsonObject | undefined {
      const fields = {
        ...(thought !== '' && { [thoughtField]: thought }),
        ...(details.length > 0 && { [detailsField]: details }),
      };
      return Object.keys(fields).length > 0 ? fields : undefined;
    },
    /** The size of what is not answer text, in UTF-16 units. */
    length: () => length,
  };
}
