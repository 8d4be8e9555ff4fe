import type { AttachmentKind } from '@roster/contracts/chat';
import { File, FileText, Image } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatMegabytes } from '#web/lib/text/format.ts';
import { classNames } from '#web/ui/class-names.ts';

const icons = { image: Image, document: FileText, text: FileText, unknown: File };

const imageName = /\.(png|jpe?g|gif|webp)$/i;
export const kindByName = (filename: string): AttachmentKind | 'unknown' =>
  imageName.test(filename) ? 'image' : 'unknown';

/** Kilobytes for small files: '0.00 MB' says nothing. */
export const sizeOf = (bytes: number): string =>
  bytes < 104_858 ? `${Math.max(1, Math.round(bytes / 1024))} KB` : formatMegabytes(bytes);

type ChipProps = {
  filename: string;
  /** Below the name: the size, or the error. */
  detail: ReactNode;
  kind: AttachmentKind | 'unknown';
  /** Thumbnail URL of an image. */
  picture?: string | null | undefined;
  faded?: boolean | undefined;
  failed?: boolean | undefined;
  /** Opens the preview; undefined if there is none. */
  onLook?: (() => void) | undefined;
  children?: ReactNode;
};

/** A chip for an attachment. */
export function AttachmentChip({ filename, detail, kind, picture, faded, failed, onLook, children }: ChipProps) {
  const Icon = icons[kind];
  const face = (
    <>
      <span className="flex size-9 shrink-0 items-center justify-center overflow-hidden rounded-sm bg-muted text-muted-foreground">
        {picture ? (
          <img src={picture} alt="" className="size-full object-cover" />
        ) : (
          <Icon aria-hidden className="size-4" />
        )}
      </span>
      <span className="min-w-0 flex-1 pe-1.5 leading-tight">
        <span className={classNames('block truncate font-medium text-sm', faded && 'text-muted-foreground')}>
          {onLook && <span className="sr-only">Preview </span>}
          <span data-searched>{filename}</span>
        </span>
        <span
          className={classNames(
            'mt-0.5 block text-xs tabular-nums',
            failed ? 'text-destructive-text' : 'truncate text-muted-foreground',
          )}
        >
          {detail}
        </span>
      </span>
    </>
  );
  const faceClass = 'flex min-w-0 flex-1 items-center gap-2 py-1 pe-1 ps-1.5 text-start';
  return (
    <div
      className={classNames(
        'relative flex min-w-0 items-center overflow-hidden rounded-md border bg-card text-foreground',
        Boolean(children) && 'pe-1',
        failed ? 'border-destructive/40' : 'border-border',
        onLook && 'transition-colors duration-120 hover:border-border-strong',
      )}
    >
      {onLook ? (
        <button
          type="button"
          aria-haspopup="dialog"
          title={`Preview ${filename}`}
          onClick={onLook}
          className={classNames(faceClass, 'rounded-md -outline-offset-2')}
        >
          {face}
        </button>
      ) : (
        <div className={faceClass}>{face}</div>
      )}
      {children}
    </div>
  );
}
