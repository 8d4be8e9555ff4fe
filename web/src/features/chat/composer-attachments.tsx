import { Files, Paperclip, RotateCw, Upload as UploadIcon, X } from 'lucide-react';
import { lazy, type RefObject, Suspense, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { useEditing } from '#web/data/current-user.ts';
import { formatCount } from '#web/lib/format.ts';
import { toast } from '#web/lib/toast.ts';
import { Button } from '#web/ui/button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Menu, MenuItem } from '#web/ui/menu.tsx';
import { AttachmentChip, kindByName, sizeOf } from './attachment-chip.tsx';
import { AttachmentLook, useLook } from './attachment-look.tsx';
import { type Upload, uploadsAt } from './attachment-uploads.ts';
import type { Attached } from './composer.tsx';
import { useFilesInto } from './use-files-into.ts';
import { pictureBytes, usePicture } from './use-picture.ts';
import { useRoomForToasts } from './use-room-for-toasts.ts';

const ChooseFilesDialog = lazy(async () => ({
  default: (await import('./choose-files-dialog.tsx')).ChooseFilesDialog,
}));

type ComposerAttachmentsProps = {
  place: string;
  text: string;
  tooLong: boolean;
  box: RefObject<HTMLTextAreaElement | null>;
  onText: (text: string) => void;
  onAttached: (attached: Attached) => void;
};

/** The files of the message that is being written: chosen, dropped or pasted and uploaded at once, or stored before. */
export function ComposerAttachments({ place, text, tooLong, box, onText, onAttached }: ComposerAttachmentsProps) {
  const { reason } = useEditing();
  const [store, setStore] = useState(() => uploadsAt(place));
  const all = useSyncExternalStore(store.subscribe, store.get);
  const uploads = useMemo(() => all.filter(({ state }) => state !== 'sending'), [all]);
  const picker = useRef<HTMLInputElement>(null);
  const [isChoosing, setChoosing] = useState(false);

  // What was forgotten while nobody watched is begun anew.
  useEffect(() => setStore(uploadsAt(place)), [place]);
  useEffect(() => {
    onAttached({
      files: uploads.flatMap(({ id, filename, size }) => (id === null ? [] : [{ id, filename, size }])),
      waits: uploads.some(({ state }) => state === 'waiting' || state === 'uploading'),
      hasFailed: uploads.some(({ state }) => state === 'failed'),
      store: uploadsAt(place),
    });
  }, [uploads, place, onAttached]);

  const attach = (files: readonly File[]) => {
    if (files.length === 0) return;
    if (reason) return toast({ title: 'Files cannot be uploaded', description: reason, variant: 'destructive' });
    const tooMany = store.add(files);
    if (tooMany > 0)
      toast({
        title: `${formatCount(tooMany, 'file was', 'files were')} left out`,
        description: 'At most 20 files can be attached to a message.',
        variant: 'destructive',
      });
  };
  // The dialog gives the focus back to its button as it goes; the message is what comes next.
  const hasAttached = useRef(false);
  useEffect(() => {
    if (isChoosing || !hasAttached.current) return;
    hasAttached.current = false;
    box.current?.focus();
  }, [isChoosing, box]);
  // Here, because it need not be there at first.
  useRoomForToasts(box);
  const { pane, dragging, pasted } = useFilesInto(box, attach);

  const attachText = () => {
    const long = pasted.current !== '' && text.includes(pasted.current) ? pasted.current : text;
    attach([new File([long], 'pasted-text.txt', { type: 'text/plain' })]);
    onText(text.replace(long, () => '').trim());
    box.current?.focus();
  };
  const failed = uploads.filter(({ state }) => state === 'failed').length;
  return (
    <>
      {uploads.length > 0 && (
        <div className="max-h-[30dvh] basis-full overflow-y-auto">
          <AttachmentLook box={box}>
            <ul aria-label="Attachments" className="flex flex-wrap gap-1.5 p-0.5">
              {uploads.map((upload) => (
                <li key={upload.key} className="min-w-0 max-w-full basis-60 max-md:basis-full">
                  <UploadChip
                    upload={upload}
                    onRemove={() => {
                      store.remove(upload.key);
                      box.current?.focus();
                    }}
                    onRetry={() => store.retry(upload.key)}
                  />
                </li>
              ))}
            </ul>
          </AttachmentLook>
          {failed > 0 && (
            <p role="alert" className="px-1 pt-1 text-destructive-text text-sm">
              {failed === 1 ? 'A file was' : `${failed} files were`} not uploaded. Try again, or remove{' '}
              {failed === 1 ? 'it' : 'them'}, to send the message.
            </p>
          )}
        </div>
      )}
      {tooLong && (
        <div className="flex basis-full flex-wrap items-center gap-2 px-2 py-1">
          <p className="min-w-0 flex-1 text-muted-foreground text-sm">
            Longer text can be attached as a file; say in the message what it is for.
          </p>
          <Button size="sm" onClick={attachText} disabledReason={reason} className="max-md:h-10">
            Attach as a text file
          </Button>
        </div>
      )}
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          attach([...(event.target.files ?? [])]);
          event.target.value = '';
          box.current?.focus();
        }}
      />
      <Menu
        side="top"
        align="start"
        trigger={<IconButton label="Attach files" icon={Paperclip} className="max-md:size-10" />}
      >
        <MenuItem icon={UploadIcon} disabledReason={reason} onSelect={() => picker.current?.click()}>
          Upload from this device
        </MenuItem>
        <MenuItem icon={Files} onSelect={() => setChoosing(true)}>
          From your files
        </MenuItem>
      </Menu>
      {isChoosing && (
        <Suspense>
          <ChooseFilesDialog
            attached={uploads}
            onAttach={(files) => {
              store.addStored(files);
              setChoosing(false);
              hasAttached.current = true;
            }}
            onClose={() => setChoosing(false)}
          />
        </Suspense>
      )}
      <output className="sr-only">{spoken(uploads)}</output>
      {dragging &&
        pane &&
        createPortal(
          <div
            aria-hidden
            className="pointer-events-none absolute inset-2 z-20 flex items-center justify-center rounded-lg border-2 border-primary border-dashed bg-background/90 p-6 text-center font-medium text-lg"
          >
            {reason ?? 'Drop files to attach them to your message'}
          </div>,
          pane,
        )}
    </>
  );
}

function spoken(uploads: readonly Upload[]): string {
  const done = uploads.filter(({ state }) => state === 'done').length;
  return uploads.length === 0 ? '' : `${done} of ${formatCount(uploads.length, 'file')} attached`;
}

function detailOf({ state, progress, size, problem }: Upload): string {
  if (state === 'failed') return problem ?? 'The file was not uploaded.';
  if (state === 'waiting') return `${sizeOf(size)}, waiting`;
  return state === 'uploading' ? `${sizeOf(size)}, ${Math.floor(progress * 100)}%` : sizeOf(size);
}

type UploadChipProps = { upload: Upload; onRemove: () => void; onRetry: () => void };

function UploadChip({ upload, onRemove, onRetry }: UploadChipProps) {
  const { id, filename, size, file, state, progress, canRetry } = upload;
  const kind = kindByName(filename);
  const look = useLook();
  const stored = usePicture(!file && kind === 'image' && size <= pictureBytes ? id : null);
  const [picture, setPicture] = useState<string | null>(null);
  useEffect(() => {
    if (!file || kind !== 'image') return;
    const url = URL.createObjectURL(file);
    setPicture(url);
    return () => URL.revokeObjectURL(url);
  }, [file, kind]);
  return (
    <AttachmentChip
      filename={filename}
      detail={detailOf(upload)}
      kind={kind}
      picture={picture ?? stored}
      failed={state === 'failed'}
      onLook={id === null ? undefined : () => look({ id, filename, size })}
    >
      {state === 'failed' && canRetry && (
        <IconButton
          label={`Upload ${filename} again`}
          icon={RotateCw}
          size="sm"
          onClick={onRetry}
          className="max-md:size-10"
        />
      )}
      <IconButton label={`Remove ${filename}`} icon={X} size="sm" onClick={onRemove} className="max-md:size-10" />
      {state === 'uploading' && (
        <progress
          aria-label={`Uploading ${filename}`}
          value={progress}
          max={1}
          className="absolute inset-x-0 bottom-0 h-0.5 w-full appearance-none bg-transparent [&::-moz-progress-bar]:bg-primary-fill [&::-webkit-progress-bar]:bg-transparent [&::-webkit-progress-value]:bg-primary-fill"
        />
      )}
    </AttachmentChip>
  );
}
