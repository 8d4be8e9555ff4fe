import { attachedBytesLimit } from '@roster/contracts/chat';
import { fileSizeLimit } from '@roster/contracts/files/files';
import { formatMegabytes } from '#web/lib/text/format.ts';

type Refusal = {
  /** In bytes. */
  limit: number;
  /** Set only if nothing but JSONL is accepted. */
  notJsonl?: string;
  empty: string;
  tooLarge: (size: number) => string;
  /** Shown if the server gave no reason. */
  failed: string;
};

const ofAnyFile = {
  limit: fileSizeLimit,
  empty: 'This file is empty.',
  tooLarge: (size: number) =>
    `This file is too large (${formatMegabytes(size)}); the maximum is ${fileSizeLimit / 1_048_576}MB per file.`,
  failed: 'Failed to upload file',
};

/** Limits and error texts of each place that accepts uploads. */
export const uploadRules = {
  files: ofAnyFile,
  training: { ...ofAnyFile, notJsonl: 'A training file is JSONL: its name ends in .jsonl.' },
  knowledge: {
    limit: fileSizeLimit,
    empty: 'The file is empty.',
    tooLarge: () => `Larger than ${formatMegabytes(fileSizeLimit)}.`,
    failed: 'An error occurred. Please try again.',
  },
  message: {
    limit: attachedBytesLimit,
    empty: 'The file is empty.',
    tooLarge: () => `Larger than ${formatMegabytes(attachedBytesLimit)}, the maximum for a message.`,
    failed: 'Failed to upload the file.',
  },
} satisfies Record<string, Refusal>;

export const isJsonl = (name: string): boolean => /\.jsonl$/i.test(name);

/** Reason why a file is refused; undefined if it is accepted. */
export function refusalReason(
  { name, size }: Pick<File, 'name' | 'size'>,
  place: keyof typeof uploadRules,
): string | undefined {
  const refusal: Refusal = uploadRules[place];
  if (refusal.notJsonl !== undefined && !isJsonl(name)) return refusal.notJsonl;
  if (size === 0) return refusal.empty;
  return size > refusal.limit ? refusal.tooLarge(size) : undefined;
}
