import { Files, NotebookPen, Plus, RotateCw, Upload as UploadIcon, Wrench, X } from 'lucide-react';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useEditAccess } from '#web/api/current-user.ts';
import { AttachmentChip, kindByName, sizeOf } from '#web/features/chat/attachments/attachment-chip.tsx';
import { AttachmentPreview, useAttachmentPreview } from '#web/features/chat/attachments/attachment-preview.tsx';
import { attachStored, removeAttachment, retryUpload } from '#web/features/chat/attachments/attachment-uploads.ts';
import { maxThumbnailBytes, useImageUrl } from '#web/features/chat/attachments/use-image.ts';
import type { Attachment } from '#web/features/chat/shared/attachments.ts';
import { composerAt, useComposer } from '#web/features/chat/shared/composer-state.ts';
import type { ComposerTools } from '#web/features/chat/shared/thread-tools.ts';
import { ToolOverrides } from '#web/features/chat/tools/tool-overrides.tsx';
import { lazyPart } from '#web/lib/lazy.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Menu, MenuItem, MenuSeparator } from '#web/ui/menus/menu.tsx';
import { DropZone } from './drop-zone.tsx';
import { useToastOffset } from './use-toast-offset.ts';

const ChooseFilesDialog = lazyPart(
  async () => (await import('#web/features/chat/attachments/choose-files-dialog.tsx')).ChooseFilesDialog,
);

const ComposerPrompts = lazyPart(
  async () => (await import('#web/features/chat/prompts/composer-prompts.tsx')).ComposerPrompts,
);

const ContextGauge = lazyPart(async () => (await import('./context-gauge.tsx')).ContextGauge, {
  // A conversation works without it.
  failed: () => null,
});

/** True once a line of the message started with a slash. */
function useSlashTyped(box: RefObject<HTMLTextAreaElement | null>): boolean {
  const [isTyped, setTyped] = useState(false);
  useEffect(() => {
    const field = box.current;
    if (isTyped || !field) return;
    const look = () => /^[/／]/m.test(field.value) && setTyped(true);
    field.addEventListener('input', look);
    return () => field.removeEventListener('input', look);
  }, [box, isTyped]);
  return isTyped;
}

/** Types a slash in a line of its own, which opens the list of prompts. */
function typeSlash(field: HTMLTextAreaElement | null) {
  if (!field) return;
  field.focus();
  const isNewLine = field.value === '' || field.value.endsWith('\n');
  field.setRangeText(isNewLine ? '/' : '\n/', field.value.length, field.value.length, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

const ToolsDialog = lazyPart(async () => (await import('#web/features/chat/tools/tools-dialog.tsx')).ToolsDialog);

type ComposerAttachmentsProps = {
  place: string;
  tooLong: boolean;
  box: RefObject<HTMLTextAreaElement | null>;
  tools: ComposerTools | undefined;
  onFiles: (files: readonly File[]) => void;
};

/**
 * Attachments of the message being written: uploaded at once when chosen, dropped or pasted, or files already stored.
 */
export function ComposerAttachments({ place, tooLong, box, tools, onFiles }: ComposerAttachmentsProps) {
  const { reason } = useEditAccess();
  const { attachments } = useComposer(place);
  const uploads = useMemo(() => attachments.filter(({ state }) => state !== 'sending'), [attachments]);
  const isSlashTyped = useSlashTyped(box);
  // In this chunk because it is not needed at first.
  useToastOffset(box);
  return (
    <>
      {uploads.length > 0 && <AttachmentList {...{ place, uploads, box }} />}
      {tools && <ToolOverrides tools={tools} box={box} />}
      {isSlashTyped && <ComposerPrompts place={place} box={box} />}
      {tooLong && <AttachAsText {...{ place, box, onFiles }} />}
      <AttachMenu {...{ place, uploads, box, tools, onFiles }} />
      {tools?.threadId !== undefined && <ContextGauge threadId={tools.threadId} tools={tools} />}
      <output className="sr-only">{spoken(uploads)}</output>
      <DropZone box={box} text={reason ?? 'Drop files to attach them to your message'} />
    </>
  );
}

type Uploads = { uploads: readonly Attachment[] };

function AttachmentList({ place, uploads, box }: Pick<ComposerAttachmentsProps, 'place' | 'box'> & Uploads) {
  const failed = uploads.filter(({ state }) => state === 'failed').length;
  return (
    <div className="max-h-[30dvh] basis-full overflow-y-auto max-md:-order-2">
      <AttachmentPreview box={box}>
        <ul aria-label="Attachments" className="flex flex-wrap gap-1.5 p-0.5">
          {uploads.map((upload) => (
            <li key={upload.key} className="min-w-0 max-w-full basis-60 max-md:basis-full">
              <UploadChip
                upload={upload}
                onRemove={() => {
                  removeAttachment(composerAt(place), upload.key);
                  box.current?.focus();
                }}
                onRetry={() => retryUpload(composerAt(place), upload.key)}
              />
            </li>
          ))}
        </ul>
      </AttachmentPreview>
      {failed > 0 && (
        <p role="alert" className="px-1 pt-1 text-destructive-text text-sm">
          Failed to upload {failed === 1 ? 'a file' : `${failed} files`}. Try again, or remove{' '}
          {failed === 1 ? 'it' : 'them'}, to send the message.
        </p>
      )}
    </div>
  );
}

/** Offers to attach a text that is too long for a message. */
function AttachAsText({ place, box, onFiles }: Pick<ComposerAttachmentsProps, 'place' | 'box' | 'onFiles'>) {
  const { reason } = useEditAccess();
  const attachText = () => {
    const { text, pasted } = composerAt(place).get();
    const long = pasted !== '' && text.includes(pasted) ? pasted : text;
    onFiles([new File([long], 'pasted-text.txt', { type: 'text/plain' })]);
    composerAt(place).set({ text: text.replace(long, () => '').trim(), pasted: '' });
    box.current?.focus();
  };
  return (
    <div className="flex basis-full flex-wrap items-center gap-2 px-2 py-1 max-md:-order-2">
      <p className="min-w-0 flex-1 text-muted-foreground text-sm">
        Longer text can be attached as a file; say in the message what it is for.
      </p>
      <Button size="sm" onClick={attachText} disabledReason={reason} className="max-md:h-10">
        Attach as a text file
      </Button>
    </div>
  );
}

/** Menu with files from this device, stored files, and the conversation's tools. */
function AttachMenu({ place, uploads, box, tools, onFiles }: Omit<ComposerAttachmentsProps, 'tooLong'> & Uploads) {
  const { reason } = useEditAccess();
  const picker = useRef<HTMLInputElement>(null);
  const [isChoosing, setChoosing] = useState(false);
  const [isSwitching, setSwitching] = useState(false);
  // Closing the dialog returns focus to its button; after attaching, move it to the message instead.
  const hasAttached = useRef(false);
  useEffect(() => {
    if (isChoosing || !hasAttached.current) return;
    hasAttached.current = false;
    box.current?.focus();
  }, [isChoosing, box]);
  return (
    <>
      <HiddenPicker picker={picker} box={box} onFiles={onFiles} />
      <Menu
        side="top"
        align="start"
        trigger={
          <IconButton
            label={tools ? 'Attach files, switch tools' : 'Attach files'}
            icon={Plus}
            className="max-md:size-10"
          />
        }
      >
        <MenuItem icon={UploadIcon} disabledReason={reason} onSelect={() => picker.current?.click()}>
          Upload from this device
        </MenuItem>
        <MenuItem icon={Files} onSelect={() => setChoosing(true)}>
          From your files
        </MenuItem>
        <MenuItem icon={NotebookPen} detail="/" onSelect={() => typeSlash(box.current)}>
          Insert a prompt
        </MenuItem>
        {tools && <ToolsItem onSelect={() => setSwitching(true)} />}
      </Menu>
      {isSwitching && tools && <ToolsDialog tools={tools} onClose={() => setSwitching(false)} />}
      {isChoosing && (
        <ChooseFilesDialog
          attached={uploads}
          onAttach={(files) => {
            attachStored(composerAt(place), files);
            setChoosing(false);
            hasAttached.current = true;
          }}
          onClose={() => setChoosing(false)}
        />
      )}
    </>
  );
}

function ToolsItem({ onSelect }: { onSelect: () => void }) {
  return (
    <>
      <MenuSeparator />
      <MenuItem icon={Wrench} onSelect={onSelect}>
        Tools in this conversation
      </MenuItem>
    </>
  );
}

type HiddenPickerProps = { picker: RefObject<HTMLInputElement | null> } & Pick<
  ComposerAttachmentsProps,
  'box' | 'onFiles'
>;

/** The system's file picker. */
function HiddenPicker({ picker, box, onFiles }: HiddenPickerProps) {
  return (
    <input
      ref={picker}
      type="file"
      multiple
      hidden
      aria-label="Files to attach"
      onChange={(event) => {
        onFiles([...(event.target.files ?? [])]);
        event.target.value = '';
        box.current?.focus();
      }}
    />
  );
}

function spoken(uploads: readonly Attachment[]): string {
  const done = uploads.filter(({ state }) => state === 'done').length;
  return uploads.length === 0 ? '' : `${done} of ${formatCount(uploads.length, 'file')} attached`;
}

function detailOf({ state, progress, size, problem }: Attachment): string {
  if (state === 'failed') return problem ?? 'Failed to upload the file.';
  if (state === 'waiting') return `${sizeOf(size)}, waiting`;
  return state === 'uploading' ? `${sizeOf(size)}, ${Math.floor(progress * 100)}%` : sizeOf(size);
}

type UploadChipProps = { upload: Attachment; onRemove: () => void; onRetry: () => void };

function UploadChip({ upload, onRemove, onRetry }: UploadChipProps) {
  const { id, filename, size, file, state, progress, canRetry } = upload;
  const kind = kindByName(filename);
  const look = useAttachmentPreview();
  const stored = useImageUrl(!file && kind === 'image' && size <= maxThumbnailBytes ? id : null);
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
