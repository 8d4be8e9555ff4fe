import { isObject, type JsonObject } from '#server/lib/is-object';

/** Fields in which thoughts come and which a provider wants back, as they are, with the calls that they led to. */
const thoughtField = 'reasoning_content';
const detailsField = 'reasoning_details';
/** Fields of a detail whose text comes in pieces. */
const inPieces = ['text', 'summary'];

/** Puts one piece of a detail to the one before, where both are parts of the same. */
function joined(last: JsonObject, next: JsonObject): JsonObject | undefined {
  if (last.type !== next.type || last.index !== next.index) return undefined;
  const field = inPieces.find((name) => typeof last[name] === 'string' || typeof next[name] === 'string');
  if (field === undefined) return undefined;
  const said = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== null));
  return { ...last, ...said, [field]: `${last[field] ?? ''}${next[field] ?? ''}` };
}

/** Collects what a message of the model has to carry when it is sent back while its tools are called. */
export function echoCollector() {
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
    /** undefined: there is nothing to send back. */
    fields(): JsonObject | undefined {
      const fields = {
        ...(thought !== '' && { [thoughtField]: thought }),
        ...(details.length > 0 && { [detailsField]: details }),
      };
      return Object.keys(fields).length > 0 ? fields : undefined;
    },
    /** How much of it is no text of the answer's, in UTF-16 units. */
    length: () => length,
  };
}
