import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { ResponseRequest } from '@roster/contracts/public-api/responses';
import type { AssistantSettings } from '#server/features/public-api/assistant-models/assistant-settings';
import { collectAdditions, type SerializedRequest } from '#server/features/public-api/shared/retry-without-unsupported';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { toResponseFormat } from '#server/provider/responses/tools';
import { isEchoItem } from './call-echo.ts';
import type { ParsedRequest } from './parse-request.ts';

/** Fields that Roster adds to a client's request, and removes again if they are refused. */
type AddedField = 'temperature' | 'top_p' | 'reasoning' | 'text' | 'include' | 'store';

const encryptedReasoning = 'reasoning.encrypted_content';

/**
 * The request for a provider that serves Responses: the client's, minus what Roster handles itself. Nothing is stored
 * there, so the provider must return reasoning encrypted for it to be readable in the next response.
 */
export function responsesRequest(
  order: ParsedRequest,
  /** With the provider's ids. */
  tools: unknown,
  catalogue: Pick<Catalogue, 'leastEffort'>,
) {
  const { body, model, assistant, instructions, input, isStored } = order;
  const { previous_response_id: _, background: __, conversation: ___, store: ____, ...rest } = body;
  return (refused: ReadonlySet<AddedField>, streams: boolean): SerializedRequest<AddedField> => {
    const { added, fields, add } = collectAdditions(refused);
    if (assistant) addSettings(add, body, assistant);
    add('store', false);
    const include = Array.isArray(body.include) ? body.include : [];
    if (isStored && catalogue.leastEffort(model) !== null && !include.includes(encryptedReasoning))
      add('include', [...include, encryptedReasoning]);
    const whole = {
      ...rest,
      ...fields,
      model: modelIdOf(model),
      // Items that only Chat Completions want back mean nothing to Responses.
      input: typeof input === 'string' ? input : input.filter((item) => !isEchoItem(item)),
      ...(tools !== undefined && { tools }),
      ...(instructions !== null && { instructions }),
    };
    return {
      text: JSON.stringify({ ...whole, ...(streams !== (body.stream === true) && { stream: streams }) }),
      added,
    };
  };
}

/** The assistant's settings apply where the client has set none. */
function addSettings(
  add: (name: AddedField, value: unknown) => void,
  body: ResponseRequest,
  { temperature, topP, effort, format }: AssistantSettings,
) {
  if (body.temperature == null) add('temperature', temperature);
  if (body.top_p == null) add('top_p', topP);
  const reasoning = Object(body.reasoning);
  if (effort !== null && reasoning.effort == null) add('reasoning', { ...reasoning, effort });
  const text = Object(body.text);
  if (format === null || text.format != null) return;
  add('text', { ...text, format: toResponseFormat(format) });
}
