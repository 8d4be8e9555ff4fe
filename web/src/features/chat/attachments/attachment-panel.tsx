import type { RefObject } from 'react';
import { useFilePreview } from '#web/api/file-preview.ts';
import { fileAddress } from '#web/api/files.ts';
import { PreviewPanel } from '#web/components/preview-panel.tsx';
import type { StoredFile } from '#web/features/chat/shared/attachments.ts';
import { sizeOf } from './attachment-chip.tsx';
import { useRestoreFocus } from './use-restore-focus.ts';

export type AttachmentPanelProps = {
  file: StoredFile;
  /** Gets focus if the attachment was unmounted meanwhile. */
  box: RefObject<HTMLTextAreaElement | null>;
  onClose: () => void;
};

export function AttachmentPanel({ file: { id, filename, size }, box, onClose }: AttachmentPanelProps) {
  useRestoreFocus(box);
  return (
    <PreviewPanel
      filename={filename}
      description={sizeOf(size)}
      address={fileAddress(id)}
      query={useFilePreview(id, filename)}
      onClose={onClose}
    />
  );
}
