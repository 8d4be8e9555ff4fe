import type { ToolCall } from '@roster/contracts/chat';
import { z } from 'zod';
import { ProviderError } from './transport/error.ts';

export type { ToolCall };

/** A client-side function: the model calls it and continues with its output. */
export type FunctionTool = {
  name: string;
  description?: string | undefined;
  parameters?: Record<string, unknown> | undefined;
  strict?: boolean | null | undefined;
  /** The answer continues without it if the provider rejects it. */
  canBeSpared?: boolean;
};

/** Tools that a model may use in an answer, besides the files in `search`. */
export type AnswerTools = {
  functions: readonly FunctionTool[];
  /** The provider's code interpreter, with these provider files. */
  codeInterpreter: { fileIds: readonly string[] } | null;
  choice: 'auto' | 'none' | 'required' | { function: string } | 'file_search' | 'code_interpreter';
  isParallel: boolean;
};

/** The required format of the answer. */
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

/** JSON schema of a function without parameters. */
export const noParameters = { type: 'object', properties: {} };

const inputLimit = 256 * 1024;
const callsLimit = 128;

const Call = z.object({
  callId: z.string().regex(/^[\x21-\x7e]{1,200}$/),
  name: z.string().regex(/^[\w.-]{1,128}$/),
  input: z.string().max(inputLimit),
  output: z.string().max(inputLimit).nullable(),
});

/** PostgreSQL's text type cannot store U+0000. */
const storable = (text: string) => text.replaceAll('\0', '\uFFFD');

const invalidCallError = () =>
  new ProviderError('bad_request', 'The model’s tool call could not be read: it is too large or damaged.');

/** Reports the calls of one answer, each once, up to the limits of size and number. */
export function createCallReader(tell: (call: ToolCall) => void) {
  const started = new Set<string>();
  const taken = new Set<string>();
  const ofNoServer = { title: '', server: null };
  return {
    /** A call that is not complete yet is reported by `take`. */
    begin(kind: ToolCall['kind'], given: { callId: unknown; name: unknown; input: unknown }) {
      const parsed = Call.safeParse({ ...given, output: null });
      if (!parsed.success || started.size >= callsLimit || started.has(parsed.data.callId)) return;
      started.add(parsed.data.callId);
      tell({ kind, ...parsed.data, ...ofNoServer, state: 'running' });
    },
    /** @throws ProviderError: an answer with incomplete calls is not usable */
    take(
      kind: ToolCall['kind'],
      given: { callId: unknown; name: unknown; input: unknown; output: unknown },
      hasFailed = false,
    ) {
      const parsed = Call.safeParse(given);
      if (!parsed.success || taken.size >= callsLimit) throw invalidCallError();
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

export type CallReader = ReturnType<typeof createCallReader>;
