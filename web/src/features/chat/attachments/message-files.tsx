import type { AttachedFile } from '@roster/contracts/chat';
import { Image as ImageIcon } from 'lucide-react';
import { safeLink } from '#web/ui/markdown/safe-link.ts';
import { AttachmentChip, sizeOf } from './attachment-chip.tsx';
import { useAttachmentPreview } from './attachment-preview.tsx';
import { maxThumbnailBytes, useImageUrl } from './use-image.ts';

/** Attachments of a question; a click opens the preview. */
export function MessageFiles({ attached }: { attached: readonly AttachedFile[] }) {
  if (attached.length === 0) return null;
  return (
    <ul aria-label="Attached files" className="mb-2 flex flex-wrap gap-1.5">
      {attached.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the files of a message never change their order
        <li key={index} className="min-w-0 max-w-full">
          <AttachedChip file={file} />
        </li>
      ))}
    </ul>
  );
}

/** An attachment; a click opens the preview, unless the file was deleted. */
export const AttachedChip = ({ file }: { file: AttachedFile }) =>
  file.id === null ? <DeletedFile file={file} /> : <KeptFile file={file} id={file.id} />;

function DeletedFile({ file: { filename, kind } }: { file: AttachedFile }) {
  return <AttachmentChip filename={filename} detail="Deleted" kind={kind} faded />;
}

function KeptFile({ file, id }: { file: AttachedFile; id: number }) {
  const { filename, size, kind } = file;
  const picture = useImageUrl(kind === 'image' && size <= maxThumbnailBytes ? id : null);
  const look = useAttachmentPreview();
  return (
    <AttachmentChip
      filename={filename}
      detail={sizeOf(size)}
      kind={kind}
      picture={picture}
      onLook={() => look({ id, filename, size })}
    />
  );
}

/** Images that an API client referenced by URL. Never loaded: only a click contacts another site. */
export function ImageLinks({ urls = [] }: { urls: readonly string[] | undefined }) {
  if (urls.length === 0) return null;
  return (
    <ul aria-label="Images from other sites" className="mb-2 grid gap-0.5 text-sm">
      {urls.map((url, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the images of a message never change their order
        <li key={index} className="flex min-w-0 items-center gap-1.5">
          <ImageIcon aria-hidden className="size-3.5 shrink-0 text-muted-foreground" />
          <ImageAddress url={url} />
        </li>
      ))}
    </ul>
  );
}

function ImageAddress({ url }: { url: string }) {
  const href = safeLink(url);
  if (href === null) return <span className="min-w-0 truncate">{url}</span>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      className="min-w-0 truncate rounded-xs text-primary-text hover:underline"
    >
      {url}
    </a>
  );
}
