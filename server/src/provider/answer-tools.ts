import type { ToolCall } from '@roster/contracts/chat';
import { z } from 'zod';
import { ProviderError } from './transport/error.ts';

export type { ToolCall };

/** A function of the one who asks. The model calls it, and goes on once it is told what came of it. */
export type FunctionTool = {
  name: string;
  description?: string | undefined;
  parameters?: Record<string, unknown> | undefined;
  strict?: boolean | null | undefined;
  /** The answer goes on without it where the provider refuses it. */
  canBeSpared?: boolean;
};

/** What a model may use while it answers, besides the files in `search`. */
export type AnswerTools = {
  functions: readonly FunctionTool[];
  /** Code of the model's, run at the provider, with these files of the provider's. */
  codeInterpreter: { fileIds: readonly string[] } | null;
  choice: 'auto' | 'none' | 'required' | { function: string } | 'file_search' | 'code_interpreter';
  isParallel: boolean;
};

/** The form that an answer has to have. */
export type ResponseFormat =
  | { type: 'text' }
  | { type: 'json_object' }
  | {
      type: 'json_schema';
      json_schema: {
        name: string;
        description?: string | undefined;
        schema?: Record<string, unknown> | undefined;
        strict?: boolean | null | undefined;
      };
    };

/** A function that takes nothing. */
export const noParameters = { type: 'object', properties: {} };

const inputLimit = 256 * 1024;
const callsLimit = 128;

const Call = z.object({
  callId: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  name: z.string().regex(/^[\w.-]{1,128}$/),
  input: z.string().max(inputLimit),
  output: z.string().max(inputLimit).nullable(),
});

/** PostgreSQL's text cannot hold the character with the number 0. */
const storable = (text: string) => text.replaceAll('\0', '\uFFFD');

const notTaken = () =>
  new ProviderError('bad_request', 'The model’s call of a tool could not be taken: it is too large, or damaged.');

/** Takes the calls of one answer, each once, as far as they are of a size and number that can be kept. */
export function callReader(tell: (call: ToolCall) => void) {
  const begun = new Set<string>();
  const taken = new Set<string>();
  const ofNoServer = { title: '', server: null };
  return {
    /** What cannot be told yet is told when it is taken. */
    begin(kind: ToolCall['kind'], given: { callId: unknown; name: unknown; input: unknown }) {
      const parsed = Call.safeParse({ ...given, output: null });
      if (!parsed.success || begun.size >= callsLimit || begun.has(parsed.data.callId)) return;
      begun.add(parsed.data.callId);
      tell({ kind, ...parsed.data, ...ofNoServer, state: 'running' });
    },
    /** @throws ProviderError: an answer whose calls are not all there is none */
    take(
      kind: ToolCall['kind'],
      given: { callId: unknown; name: unknown; input: unknown; output: unknown },
      hasFailed = false,
    ) {
      const parsed = Call.safeParse(given);
      if (!parsed.success || taken.size >= callsLimit) throw notTaken();
      const { callId, name, input, output } = parsed.data;
      if (taken.has(callId)) return;
      taken.add(callId);
      tell({
        kind,
        callId,
        name,
        ...ofNoServer,
        state: hasFailed ? 'failed' : output === null ? 'waiting' : 'done',
        input: storable(input),
        output: output === null ? null : storable(output),
      });
    },
  };
}

export type CallReader = ReturnType<typeof callReader>;
