import { Download } from 'lucide-react';
import { useState } from 'react';
import { fileAddress } from '#web/api/files.ts';
import { buttonClass } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { sizeOf } from './attachment-chip.tsx';
import type { AttachmentPanelProps } from './attachment-panel.tsx';
import { useImage } from './use-image.ts';
import { useRestoreFocus } from './use-restore-focus.ts';

/** A full-size image of an answer. */
export function ImageDialog({ file: { id, filename, size }, box, onClose }: AttachmentPanelProps) {
  useRestoreFocus(box);
  const { url, isMissing } = useImage(id);
  const [isBroken, setBroken] = useState(false);
  const isThere = !isMissing && !isBroken;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="xl"
      title={<span className="wrap-anywhere">{filename}</span>}
      description={sizeOf(size)}
      footer={
        isThere && (
          <a href={fileAddress(id)} download={filename} className={buttonClass()}>
            <Download aria-hidden className="size-4" />
            Download
          </a>
        )
      }
    >
      {!isThere ? (
        <p role="alert">This image was deleted, or it cannot be shown.</p>
      ) : url === null ? (
        <Skeleton className="h-[60dvh] w-full" />
      ) : (
        <img
          src={url}
          alt={filename}
          onError={() => setBroken(true)}
          className="mx-auto max-h-[70dvh] min-h-40 w-full rounded-md object-contain"
        />
      )}
    </Dialog>
  );
}
