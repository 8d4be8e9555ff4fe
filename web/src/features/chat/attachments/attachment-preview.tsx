import { createContext, type ReactNode, type RefObject, useCallback, useContext, useEffect, useState } from 'react';
import type { StoredFile } from '#web/features/chat/shared/attachments.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { toastError } from '#web/lib/toast.ts';
import type { AttachmentPanelProps } from './attachment-panel.tsx';

const AttachmentPanel = lazyPart<AttachmentPanelProps>(
  async () => (await import('./attachment-panel.tsx')).AttachmentPanel,
  { failed: NoPanel },
);

const ImageDialog = lazyPart<AttachmentPanelProps>(async () => (await import('./image-dialog.tsx')).ImageDialog, {
  failed: NoPanel,
});

/** `isPicture`: opened full-size instead of in the side panel. */
type Looked = StoredFile & { isPicture?: true };

/** Shown if its chunk cannot be loaded. */
function NoPanel({ onClose }: AttachmentPanelProps) {
  useEffect(() => {
    toastError({ title: 'The file cannot be shown', description: 'Reload the page and try again.' });
    onClose();
  }, [onClose]);
  return null;
}

const LookContext = createContext<((file: Looked) => void) | null>(null);

/** Returns a function that opens an attachment's preview. */
export function useAttachmentPreview(): (file: Looked) => void {
  const look = useContext(LookContext);
  if (!look) throw new Error('useLook is used outside AttachmentLook');
  return look;
}

type AttachmentLookProps = { box: RefObject<HTMLTextAreaElement | null>; children: ReactNode };

/** Renders the preview outside the list, which unmounts messages far from the view. */
export function AttachmentPreview({ box, children }: AttachmentLookProps) {
  const [file, setFile] = useState<Looked | null>(null);
  const Panel = file?.isPicture ? ImageDialog : AttachmentPanel;
  const close = useCallback(() => setFile(null), []);
  return (
    <LookContext value={setFile}>
      {children}
      {file && <Panel file={file} box={box} onClose={close} />}
    </LookContext>
  );
}
