import { modelIdOf } from '@roster/contracts/models/model-reference';
import type { ChatCompletion } from '@roster/contracts/public-api/chat-completions';
import { z } from 'zod';
import type { AssistantSettings } from '#server/features/public-api/assistant-models/assistant-settings';
import { estimateInputTokens } from '#server/features/public-api/shared/input-tokens';
import { collectAdditions, type SerializedRequest } from '#server/features/public-api/shared/retry-without-unsupported';
import { asksForUsage, lacksUsage, unchangedRequest, withUsage } from '#server/features/public-api/shared/stream-usage';
import type { JsonObject } from '#server/lib/is-object';

/** Fields that Roster adds to a client's request, and removes again if they are refused. */
type AddedField = 'stream_options' | 'temperature' | 'top_p' | 'reasoning_effort' | 'response_format';

export type ChatCompletionRequest = {
  assistantId: number | null;
  model: string;
  inputTokens: number;
  /** Notes about assistant settings that could not be applied. */
  notes: string[];
  /**
   * Serializes the request without refused fields. `hidesUsage`: usage that only Roster asked for is removed from the
   * answer.
   */
  write: (refused: ReadonlySet<AddedField>) => SerializedRequest<AddedField> & { hidesUsage: boolean };
};

/** A request for a model is sent unchanged; `original`: the text as the client sent it. */
export function requestForModel(body: ChatCompletion, original: string | undefined): ChatCompletionRequest {
  const write = unchangedRequest(body, original);
  return { assistantId: null, model: body.model, inputTokens: estimateInputTokens(body.messages), notes: [], write };
}

/**
 * A request for an assistant: its instructions come first, and its settings apply where the client has set none. If the
 * model refuses functions, the client gets the error: without them it would be another assistant.
 */
export function requestForAssistant(body: ChatCompletion, assistant: AssistantSettings): ChatCompletionRequest {
  const { assistantId, model, system, temperature, topP, effort, format, functions, notes } = assistant;
  const messages = [...system.map((content) => ({ role: 'system', content })), ...body.messages];
  const tools = functions.map((described) => ({ type: 'function', function: described }));
  const hasNoTools = tools.length === 0 && body.tools == null;
  return {
    assistantId,
    model,
    inputTokens: estimateInputTokens(messages),
    notes,
    write(refused) {
      const { added, fields, add } = collectAdditions(refused);
      if (body.temperature == null) add('temperature', temperature);
      if (body.top_p == null) add('top_p', topP);
      if (body.reasoning_effort == null) add('reasoning_effort', effort);
      if (body.response_format == null) add('response_format', format);
      const hidesUsage = lacksUsage(body) && !refused.has('stream_options');
      if (hidesUsage) added.set('stream_options', asksForUsage);
      const sent: JsonObject = hidesUsage ? withUsage(body) : body;
      const { tool_choice: choice, ...rest } = sent;
      const whole = {
        ...rest,
        // Without tools there is nothing to choose, and some providers refuse the field.
        ...(choice !== undefined && !(choice === 'none' && hasNoTools) && { tool_choice: choice }),
        ...(tools.length > 0 && { tools }),
        ...fields,
        model: modelIdOf(model),
        messages,
      };
      return { text: JSON.stringify(whole), added, hidesUsage };
    },
  };
}

const TextPart = z.object({ type: z.literal('text'), text: z.string() });
const Question = z.object({ role: z.literal('user'), content: z.union([z.string(), z.array(z.unknown())]) });

/** Text of the last user message. */
export function lastUserText(messages: ChatCompletion['messages']): string {
  for (const message of messages.toReversed()) {
    const question = Question.safeParse(message);
    if (!question.success) continue;
    const { content } = question.data;
    if (typeof content === 'string') return content;
    return content.flatMap((part) => TextPart.safeParse(part).data?.text ?? []).join('\n');
  }
  return '';
}
