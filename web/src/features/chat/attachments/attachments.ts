import type { AttachmentKind } from '@roster/contracts/chat';

/** A file that the server has. */
export type StoredFile = { id: number; filename: string; size: number; kind?: AttachmentKind | undefined };

/** A file of the message that is being written. */
export type Attachment = {
  key: number;
  filename: string;
  size: number;
  /** `sending`: on its way with a message, and no longer part of the one that is being written. */
  state: 'waiting' | 'uploading' | 'done' | 'failed' | 'sending';
  /** From 0 to 1. */
  progress: number;
  /** Of the stored file. */
  id: number | null;
  problem: string | null;
  /** Whether another try could come to something else. */
  canRetry: boolean;
  /** As long as this page has it. */
  file: File | null;
};

let keys = 0;
export const newKey = () => ++keys;

/** A file that is on the server already. */
export const asAttached = ({ id, filename, size }: StoredFile): Attachment => ({
  key: newKey(),
  id,
  filename,
  size,
  state: 'done',
  progress: 1,
  problem: null,
  canRetry: false,
  file: null,
});

export const isUploading = ({ state }: Attachment): boolean => state === 'waiting' || state === 'uploading';

/** What a message brings that is sent now. */
export const attachedFiles = (attachments: readonly Attachment[]): StoredFile[] =>
  attachments.flatMap(({ id, filename, size, state }) =>
    id === null || state !== 'done' ? [] : [{ id, filename, size }],
  );

/** As text, for a reload: what the server has. */
export function serializeAttachments(attachments: readonly Attachment[]): string {
  const stored = attachments.filter(({ state }) => state === 'done' || state === 'sending');
  return stored.length === 0 ? '' : JSON.stringify(stored.map(({ id, filename, size }) => ({ id, filename, size })));
}

/** What was attached and not sent before the page was loaded anew. */
export function parseAttachments(text: string): Attachment[] {
  try {
    const list: unknown = JSON.parse(text || '[]');
    if (!Array.isArray(list)) return [];
    return list.flatMap((item: { id?: unknown; filename?: unknown; size?: unknown } | null): Attachment[] => {
      const { id, filename, size } = item ?? {};
      if (typeof id !== 'number' || typeof filename !== 'string' || typeof size !== 'number') return [];
      return [asAttached({ id, filename, size })];
    });
  } catch {
    // Not what this page has written.
    return [];
  }
}
