import type { ChatCompletion } from '@roster/contracts/public-api/chat-completions';
import { z } from 'zod';
import type { AssistantSettings } from '#server/features/public-api/assistant-models/assistant-settings';
import { estimateInputTokens } from '#server/features/public-api/shared/input-tokens';
import { collectAdditions, type SerializedRequest } from '#server/features/public-api/shared/retry-without-unsupported';
import type { JsonObject } from '#server/lib/is-object';

/** Fields that Roster adds to a client's request, and removes again if they are refused. */
export type AddedField = 'stream_options' | 'temperature' | 'top_p' | 'reasoning_effort' | 'response_format';

export type PreparedRequest = {
  assistantId: number | null;
  model: string;
  inputTokens: number;
  /** What could not be done as the assistant is set up. */
  notes: string[];
  /** The request without what was refused. `hidesUsage`: what it asks for more than its program did is taken out of the answer. */
  write: (refused: ReadonlySet<AddedField>) => SerializedRequest<AddedField> & { hidesUsage: boolean };
};

/** What it costs is told at the end of a stream only where that is asked for. */
const asksForUsage = { include_usage: true };

/**
 * A request for a model goes out to the letter as it came; only a stream that does not ask for its usage is made to, by a
 * field in front of the others.
 */
export function requestForModel(body: ChatCompletion, text: string): PreparedRequest {
  return {
    assistantId: null,
    model: body.model,
    inputTokens: estimateInputTokens(body.messages),
    notes: [],
    write(refused) {
      if (!lacksUsage(body) || refused.has('stream_options')) return { text, added: new Map(), hidesUsage: false };
      const isNamed = Object.hasOwn(body, 'stream_options');
      const asking = isNamed
        ? JSON.stringify(withUsage(body))
        : `{"stream_options":${JSON.stringify(asksForUsage)},${text.slice(text.indexOf('{') + 1)}`;
      return { text: asking, added: new Map([['stream_options', asksForUsage]]), hidesUsage: true };
    },
  };
}

/**
 * A request for an assistant: its instructions come first, its settings count where the program has named none. A model
 * that takes no functions refuses them, which the program is told: without them it would be another assistant.
 */
export function requestForAssistant(body: ChatCompletion, assistant: AssistantSettings): PreparedRequest {
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
      const asked: JsonObject = hidesUsage ? withUsage(body) : body;
      const { tool_choice: choice, ...rest } = asked;
      const whole = {
        ...rest,
        // Without tools there is nothing to choose, and some refuse to be told so.
        ...(choice !== undefined && !(choice === 'none' && hasNoTools) && { tool_choice: choice }),
        ...(tools.length > 0 && { tools }),
        ...fields,
        model,
        messages,
      };
      return { text: JSON.stringify(whole), added, hidesUsage };
    },
  };
}

const TextPart = z.object({ type: z.literal('text'), text: z.string() });
const Question = z.object({ role: z.literal('user'), content: z.union([z.string(), z.array(z.unknown())]) });

/** The words of the last message that a person has written. */
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

const lacksUsage = ({ stream, stream_options: options }: ChatCompletion) =>
  stream === true && options?.include_usage !== true;

const withUsage = (body: ChatCompletion) => ({ ...body, stream_options: { ...body.stream_options, ...asksForUsage } });
