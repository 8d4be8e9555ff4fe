import type { Container } from '../containers/containers.ts';
import { contentOf } from '../containers/generated-content.ts';
import { generatedFileLink, isCited, type Plan } from '../generation/plan.ts';
import type { Usage } from '../generation/usage.ts';
import type { JsonObject } from '../http/fields.ts';
import { newId } from '../state/identifiers.ts';
import type { SearchResult } from '../vector-stores/search.ts';
import type { ResponseRequest } from './request.ts';

export type Status = 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';

/** The fields that every state of a response has in common. */
export function responseBase(request: ResponseRequest, createdAt: number): JsonObject & { id: string } {
  return {
    id: newId('resp_'),
    object: 'response',
    created_at: createdAt,
    status: 'in_progress',
    background: request.background,
    completed_at: null,
    error: null,
    incomplete_details: null,
    ...request.echo,
    metadata: request.metadata,
    model: request.question.model,
    output: [],
    previous_response_id: request.previousId,
    service_tier: 'default',
    store: request.store,
    top_logprobs: 0,
    truncation: 'disabled',
  };
}

export function usageObject(usage: Usage): JsonObject {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached, cache_write_tokens: usage.cacheWrites },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  };
}

type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export function reasoningItem(id: string, summary: readonly string[]): JsonObject {
  return { id, type: 'reasoning', summary: summary.map((text) => ({ type: 'summary_text', text })) };
}

export function searchItem(
  id: string,
  status: 'in_progress' | 'completed',
  query: string,
  results: readonly SearchResult[] | null,
): JsonObject {
  return { id, type: 'file_search_call', status, queries: [query], results };
}

export function callItem(id: string, callId: string, name: string, given: string, status: ItemStatus): JsonObject {
  return { id, type: 'function_call', status, call_id: callId, name, arguments: given };
}

/** Some images come with their bytes, others with the URL of a file in the container. */
function imageOutputs({ id, files }: Container): JsonObject[] {
  return files.flatMap((file) => {
    const bytes = () => contentOf(file.name).toString('base64');
    if (file.name.startsWith('inline')) return [{ type: 'image', url: `data:image/png;base64,${bytes()}` }];
    if (!file.name.startsWith('output')) return [];
    return [{ type: 'image', url: `https://provider.example/v1/containers/${id}/files/${file.id}/content` }];
  });
}

export function codeItem(
  id: string,
  container: Container,
  { code, logs }: { code: string; logs: string | null },
  shown: boolean,
  status: ItemStatus,
): JsonObject {
  const outputs =
    shown && status === 'completed' ? [{ type: 'logs', logs: logs ?? '42\n' }, ...imageOutputs(container)] : null;
  return { id, type: 'code_interpreter_call', status, container_id: container.id, code, outputs };
}

/** The places in the text that mention generated files. */
export function madeCitations(container: Container | null, text: string): JsonObject[] {
  return (container?.files ?? []).flatMap(({ id, name }) => {
    const start = isCited(name) ? text.indexOf(generatedFileLink(name)) : -1;
    if (start < 0) return [];
    const place = { start_index: start, end_index: start + generatedFileLink(name).length };
    return [{ type: 'container_file_citation', container_id: container?.id, file_id: id, filename: name, ...place }];
  });
}

export function contentPart(kind: Plan['kind'], text: string, annotations: readonly JsonObject[]): JsonObject {
  return kind === 'refusal'
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', annotations, logprobs: [], text };
}

export function messageItem(id: string, status: ItemStatus, content: readonly JsonObject[]): JsonObject {
  return { id, type: 'message', status, content, role: 'assistant' };
}

/** The number of tokens before an answer's first citation. */
export const citedAfter = (tokens: readonly string[]) => Math.ceil(tokens.length / 2);

/** A model often cites several passages of one file: within the text and at its end. */
export function citations(results: readonly SearchResult[], tokens: readonly string[]): JsonObject[] {
  const [first, second] = results;
  const lengthOf = (count: number) => tokens.slice(0, count).join('').length;
  const places = [lengthOf(citedAfter(tokens)), lengthOf(tokens.length), lengthOf(tokens.length)];
  return [first, second, first].flatMap((result, at) =>
    result === undefined
      ? []
      : [{ type: 'file_citation', file_id: result.file_id, filename: result.filename, index: places[at] ?? 0 }],
  );
}
