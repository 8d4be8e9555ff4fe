import type { ApiMessage } from '@roster/contracts/public-api/assistants/messages';
import { partTexts, readContent } from '#server/conversation/content';
import type { ApiMessage as StoredMessage } from '#server/features/chat/api-threads/repository';
import type { FileIds } from '#server/features/public-api/files/file-ids';
import type { AssistantModels } from '#server/features/public-api/shared/assistant-models';
import type { Ids } from '#server/features/public-api/shared/ids';
import { unixSeconds } from '#server/features/public-api/shared/list';
import { withCitations } from './citations.ts';

type Dependencies = {
  ids: () => Promise<Ids>;
  assistantModels: Pick<AssistantModels, 'list'>;
  fileIds: Pick<FileIds, 'present'>;
};

/** Converts messages of one user to API objects. */
export function createMessageSerializer({ ids, assistantModels, fileIds }: Dependencies) {
  return async function objectsOf(userId: number, messages: StoredMessage[]): Promise<ApiMessage[]> {
    const { encode } = await ids();
    const hasAssistant = messages.some(({ run }) => typeof run?.assistantId === 'number');
    const names = hasAssistant ? await assistantModels.list(userId) : [];
    const assistantNames = new Map(names.map(({ assistantId, id }) => [assistantId, id]));
    const assistantOf = (id: number) => assistantNames.get(id) ?? encode('asst', id);
    const cited = messages.flatMap(({ content }) => readContent(content).citations ?? []);
    const present = await fileIds.present(
      userId,
      cited.map(({ fileId }) => fileId),
    );
    return messages.map((message) => objectOf(message, { encode, assistantOf, present }));
  };
}

export type SerializeMessages = ReturnType<typeof createMessageSerializer>;

type Naming = Pick<Ids, 'encode'> & { assistantOf: (id: number) => string; present: ReadonlySet<number> };

function objectOf(message: StoredMessage, naming: Naming): ApiMessage {
  const { run } = message;
  const { encode, assistantOf } = naming;
  const { attachments = [] } = readContent(message.content);
  return {
    id: encode('msg', message.id),
    object: 'thread.message',
    created_at: unixSeconds(message.createdAt),
    thread_id: encode('thread', message.threadId),
    ...standing(message),
    role: message.role,
    content: partsOf(message, naming),
    assistant_id: typeof run?.assistantId === 'number' ? assistantOf(run.assistantId) : null,
    run_id: run ? encode('run', run.id) : null,
    attachments: [
      ...attachments,
      ...(message.generatedFileIds ?? []).map((fileId) => ({ fileId, tools: [{ type: 'code_interpreter' as const }] })),
    ].map(({ fileId, tools }) => ({ file_id: encode('file', fileId), tools })),
    metadata: message.metadata ?? {},
  };
}

function partsOf({ text, content }: StoredMessage, { encode, present }: Naming): ApiMessage['content'] {
  const words = (value: string) => ({ type: 'text' as const, text: { value, annotations: [] } });
  const { parts, citations = [] } = readContent(content);
  if (!parts) return text === '' ? [] : [{ type: 'text', text: withCitations(text, citations, present, encode) }];
  const texts = partTexts(parts, text);
  return parts.map((part, index) => {
    if (part.type === 'text') return words(texts[index] ?? '');
    const { type, detail } = part;
    if (type === 'image_url') return { type, image_url: { url: part.url, detail } };
    return { type, image_file: { file_id: encode('file', part.fileId), detail } };
  });
}

/** Status of a message; an incomplete one has a reason. */
function standing({
  run,
  createdAt,
}: StoredMessage): Pick<ApiMessage, 'status' | 'incomplete_details' | 'completed_at' | 'incomplete_at'> {
  const open = { incomplete_details: null, completed_at: null, incomplete_at: null };
  if (run && (run.state === 'queued' || run.state === 'running' || run.state === 'waiting'))
    return { status: 'in_progress', ...open };
  const at = unixSeconds(run?.finishedAt ?? createdAt);
  const reason = run ? reasonOf(run) : undefined;
  if (reason === undefined) return { status: 'completed', ...open, completed_at: at };
  return { status: 'incomplete', ...open, incomplete_details: { reason }, incomplete_at: at };
}

function reasonOf({ state, reason }: NonNullable<StoredMessage['run']>) {
  if (state === 'stopped') return 'run_cancelled';
  if (state !== 'complete') return 'run_failed';
  if (reason === 'length') return 'max_tokens';
  return reason === 'content_filter' ? 'content_filter' : undefined;
}
