import type { AttachmentKind } from '@roster/contracts/chat';

/** A file on the server. */
export type StoredFile = { id: number; filename: string; size: number; kind?: AttachmentKind | undefined };

/** An attachment of the message being written. */
export type Attachment = {
  key: number;
  filename: string;
  size: number;
  /** `sending`: belongs to a message being sent, no longer to the one being written. */
  state: 'waiting' | 'uploading' | 'done' | 'failed' | 'sending';
  /** 0 to 1. */
  progress: number;
  /** Id of the stored file. */
  id: number | null;
  problem: string | null;
  /** True if a retry may succeed. */
  canRetry: boolean;
  /** null after a reload. */
  file: File | null;
};

let keys = 0;
export const newKey = () => ++keys;

/** An attachment from a stored file. */
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

export const isInProgress = ({ state }: Attachment): boolean => state === 'waiting' || state === 'uploading';

/** Files of the message being sent. */
export const attachedFiles = (attachments: readonly Attachment[]): StoredFile[] =>
  attachments.flatMap(({ id, filename, size, state }) =>
    id === null || state !== 'done' ? [] : [{ id, filename, size }],
  );

/** Serializes stored attachments, to survive a reload. */
export function keptText(attachments: readonly Attachment[]): string {
  const stored = attachments.filter(({ state }) => state === 'done' || state === 'sending');
  return stored.length === 0 ? '' : JSON.stringify(stored.map(({ id, filename, size }) => ({ id, filename, size })));
}

/** Restores serialized attachments. */
export function fromKeptText(text: string): Attachment[] {
  try {
    const list: unknown = JSON.parse(text || '[]');
    if (!Array.isArray(list)) return [];
    return list.flatMap((item: { id?: unknown; filename?: unknown; size?: unknown } | null): Attachment[] => {
      const { id, filename, size } = item ?? {};
      if (typeof id !== 'number' || typeof filename !== 'string' || typeof size !== 'number') return [];
      return [asAttached({ id, filename, size })];
    });
  } catch {
    // Not written by this code.
    return [];
  }
}
