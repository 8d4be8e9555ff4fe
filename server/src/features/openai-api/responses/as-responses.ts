import type { Catalogue } from '#server/provider/catalogue';
import type { ResponseOrder } from './order.ts';

/** What Roster put into a request that its program did not name, and can take out again where it is refused. */
export type Added = 'temperature' | 'reasoning' | 'text' | 'include';

const sealedThoughts = 'reasoning.encrypted_content';

/**
 * The request for a provider that serves Responses: as it came, with what Roster does itself taken out. Nothing is kept there,
 * so that what a model has thought has to come along, sealed, to be read again in the next response.
 */
export function responsesRequest(
  order: ResponseOrder,
  /** As the provider knows what they name. */
  tools: unknown,
  catalogue: Pick<Catalogue, 'leastEffort'>,
) {
  const { body, model, assistant, instructions, input, isStored } = order;
  const { previous_response_id: _, background: __, conversation: ___, ...rest } = body;
  return (refused: ReadonlySet<Added>, streams: boolean): { text: string; added: ReadonlySet<Added> } => {
    const added = new Set<Added>();
    const settings: Record<string, unknown> = {};
    const add = (name: Added, value: unknown) => {
      if (refused.has(name)) return;
      settings[name] = value;
      added.add(name);
    };
    if (assistant && assistant.temperature !== null && body.temperature === undefined)
      add('temperature', assistant.temperature);
    const reasoning = Object(body.reasoning);
    if (assistant && assistant.effort !== null && reasoning.effort === undefined)
      add('reasoning', { ...reasoning, effort: assistant.effort });
    const text = Object(body.text);
    if (assistant?.format && text.format == null) {
      const { type, json_schema: schema } = assistant.format;
      add('text', { ...text, format: { type, ...schema } });
    }
    const include = Array.isArray(body.include) ? body.include : [];
    if (isStored && catalogue.leastEffort(model) !== null && !include.includes(sealedThoughts))
      add('include', [...include, sealedThoughts]);
    const whole = {
      ...rest,
      ...settings,
      model,
      input,
      ...(tools !== undefined && { tools }),
      ...(instructions !== null && { instructions }),
      store: false,
    };
    return {
      text: JSON.stringify({ ...whole, ...(streams !== (body.stream === true) && { stream: streams }) }),
      added,
    };
  };
}
