import type { ChatCompletion } from '@roster/contracts/openai-api/chat-completions';
import type { ProviderError } from '#server/provider/error';
import type { formatOfSchema } from '#server/provider/schema-format';

/** What Roster put into a request that its program did not name, and can take out again where it is refused. */
export type Added = 'stream_options' | 'temperature' | 'reasoning_effort' | 'response_format';

export type PreparedRequest = {
  assistantId: number | null;
  model: string;
  inputTokens: number;
  /** What could not be done as the assistant is set up. */
  notes: string[];
  /** The request without what was refused. `hidesUsage`: what it asks for more than its program did is taken out of the answer. */
  write: (refused: ReadonlySet<Added>) => { text: string; added: ReadonlySet<Added>; hidesUsage: boolean };
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
    inputTokens: estimateInput(body.messages),
    notes: [],
    write(refused) {
      if (!lacksUsage(body) || refused.has('stream_options')) return { text, added: new Set(), hidesUsage: false };
      const isNamed = Object.hasOwn(body, 'stream_options');
      const asking = isNamed
        ? JSON.stringify(withUsage(body))
        : `{"stream_options":${JSON.stringify(asksForUsage)},${text.slice(text.indexOf('{') + 1)}`;
      return { text: asking, added: new Set(['stream_options']), hidesUsage: true };
    },
  };
}

export type AssistantSettings = {
  assistantId: number;
  model: string;
  /** What the model is told before the conversation. */
  system: string[];
  temperature: number | null;
  effort: string | null;
  /** The form of its answers. */
  format: ReturnType<typeof formatOfSchema> | null;
  notes: string[];
};

/** A request for an assistant: its instructions come first, its settings count where the program has named none. */
export function requestForAssistant(body: ChatCompletion, assistant: AssistantSettings): PreparedRequest {
  const { assistantId, model, system, temperature, effort, format, notes } = assistant;
  const messages = [...system.map((content) => ({ role: 'system', content })), ...body.messages];
  return {
    assistantId,
    model,
    inputTokens: estimateInput(messages),
    notes,
    write(refused) {
      const added = new Set<Added>();
      const settings: Record<string, unknown> = {};
      const add = (name: Added, value: unknown) => {
        if (value === null || body[name] !== undefined || refused.has(name)) return;
        settings[name] = value;
        added.add(name);
      };
      add('temperature', temperature);
      add('reasoning_effort', effort);
      add('response_format', format);
      const hidesUsage = lacksUsage(body) && !refused.has('stream_options');
      if (hidesUsage) added.add('stream_options');
      const whole = { ...(hidesUsage ? withUsage(body) : body), ...settings, model, messages };
      return { text: JSON.stringify(whole), added, hidesUsage };
    },
  };
}

/** As it can only mean the field: 'text' is part of other words. */
const inMessages = (name: string) => (name === 'text' ? "'text." : name);

/** What of the additions the provider has refused. */
export function refusedAddition<Name extends string>(error: ProviderError, added: ReadonlySet<Name>): Name | undefined {
  if (error.status !== 400) return undefined;
  return [...added].find((name) => error.param?.split('.')[0] === name || error.message.includes(inMessages(name)));
}

const lacksUsage = ({ stream, stream_options: options }: ChatCompletion) =>
  stream === true && options?.include_usage !== true;

const withUsage = (body: ChatCompletion) => ({ ...body, stream_options: { ...body.stream_options, ...asksForUsage } });

const imageTokens = 1_000;

/** Roughly four characters a token; what is inline as data is an image or a sound of unknown length. */
export function estimateInput(messages: unknown[]): number {
  let tokens = 0;
  const open: unknown[] = [...messages];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') tokens += value.startsWith('data:') ? imageTokens : Math.ceil(value.length / 4);
    else if (typeof value === 'object' && value !== null)
      for (const part of Object.values(value)) if (part !== undefined) open.push(part);
  }
  return Math.min(tokens, 100_000_000);
}
