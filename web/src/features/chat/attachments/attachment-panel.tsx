import { type RefObject, useEffect } from 'react';
import { useFilePreview } from '#web/data/file-preview.ts';
import { fileAddress } from '#web/data/files.ts';
import { focusUnlessTouch } from '#web/features/chat/focus-unless-touch.ts';
import { PreviewPanel } from '#web/parts/preview-panel.tsx';
import { sizeOf } from './attachment-chip.tsx';
import type { StoredFile } from './attachments.ts';

export type AttachmentPanelProps = {
  file: StoredFile;
  /** Where the keyboard goes on if the attachment has left the page meanwhile. */
  box: RefObject<HTMLTextAreaElement | null>;
  onClose: () => void;
};

export function AttachmentPanel({ file: { id, filename, size }, box, onClose }: AttachmentPanelProps) {
  useEffect(
    () => () => {
      if (document.activeElement === document.body) focusUnlessTouch(box.current);
    },
    [box],
  );
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
