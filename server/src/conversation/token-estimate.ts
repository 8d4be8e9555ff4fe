import type { AttachmentKind } from '@roster/contracts/chat';

/** About four characters per token: an estimate, shown as one, which fits prose in European languages. */
export const estimateTokens = (text: string) => Math.ceil(text.length / 4);

/** For one piece of a stream: usually one token, but some servers send many at once. */
export const estimatePiece = (text: unknown) =>
  typeof text === 'string' ? Math.max(1, Math.round(text.length / 4)) : 1;

/** For a large image at full detail, roughly. */
export const imageTokens = 1_000;

/** A large image at full detail is 765 to 1,105 tokens; a page of a PDF, text and image, about 1,000 in 50 kB. */
export function estimateFileTokens({ kind, size }: { kind: AttachmentKind; size: number }): number {
  if (kind === 'text') return Math.ceil(size / 4);
  return kind === 'image' ? imageTokens : Math.min(100_000, Math.ceil(size / 50));
}
