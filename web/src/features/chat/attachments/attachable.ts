import { attachedBytesLimit, attachedFilesLimit, attachedTextLimit } from '@roster/contracts/chat';
import { uploadRules } from '#web/api/uploads/rules.ts';
import { formatMegabytes } from '#web/lib/text/format.ts';

type Named = { filename: string; type: string };
type Sized = Named & { size: number };

const images = /\.(png|jpe?g|gif|webp)$/i;
const imageTypes = /^image\/(png|jpeg|gif|webp)$/;
const documents = /\.(pdf|docx|pptx|xlsx)$/i;
/** Binary formats that models do not accept. */
const unreadable =
  /\.(zip|gz|tgz|tar|7z|rar|bz2|xz|zst|doc|ppt|xls|mp3|wav|m4a|ogg|flac|mp4|mov|avi|mkv|webm|heic|avif|tiff?|bmp|ico|exe|dll|dmg|iso|woff2?|ttf|otf|sqlite|parquet)$/i;

type AttachableKind = 'Image' | 'Document' | 'Text' | 'Other';

/** Kind guessed from name and type. The server decides by the bytes. */
export function guessKind({ filename, type }: Named): AttachableKind {
  if (images.test(filename) || imageTypes.test(type)) return 'Image';
  if (documents.test(filename) || type === 'application/pdf') return 'Document';
  return unreadable.test(filename) || /^(audio|video)\//.test(type) ? 'Other' : 'Text';
}

/** Reason why a file cannot be attached beside the others. */
export function attachmentProblem(file: Sized, others: readonly { size: number }[]): string | undefined {
  const kind = guessKind(file);
  if (kind === 'Other') return 'Models cannot read this kind of file.';
  if (file.size > attachedBytesLimit) return uploadRules.message.tooLarge();
  if (kind === 'Text' && file.size > attachedTextLimit)
    return `A text file in a message can have at most ${formatMegabytes(attachedTextLimit)}.`;
  if (others.length >= attachedFilesLimit) return `A message can have at most ${attachedFilesLimit} files.`;
  const together = others.reduce((sum, { size }) => sum + size, file.size);
  return together > attachedBytesLimit
    ? `The files of a message can have at most ${formatMegabytes(attachedBytesLimit)} in total.`
    : undefined;
}
