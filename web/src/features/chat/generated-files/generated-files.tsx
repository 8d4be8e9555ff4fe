import type { AttachedFile, Message, UnstoredFile } from '@roster/contracts/chat';
import { useQueryClient } from '@tanstack/react-query';
import { CircleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useProviderName } from '#web/api/sign-in-options.ts';
import { useAttachmentPreview } from '#web/features/chat/attachments/attachment-preview.tsx';
import { AttachedChip } from '#web/features/chat/attachments/message-files.tsx';
import { useImage } from '#web/features/chat/attachments/use-image.ts';
import { refreshAnswers, refreshMessages } from '#web/features/chat/shared/thread-cache.ts';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { Spinner } from '#web/ui/states/spinner.tsx';

const firstMs = 1_000;
const longestMs = 30_000;

/** Polls with growing intervals while files of a shown answer are being fetched. */
function usePollMissingFiles({ threadId, unkept = [] }: Message) {
  const client = useQueryClient();
  const isFetching = unkept.some(({ state }) => state === 'fetching');
  useEffect(() => {
    if (!isFetching) return;
    let timer: ReturnType<typeof setTimeout>;
    let wait = firstMs;
    const look = () => {
      timer = setTimeout(() => {
        wait = Math.min(longestMs, wait * 1.5);
        Promise.all([refreshMessages(client, threadId), refreshAnswers(client, threadId)]).catch(reportError);
        look();
      }, wait);
    };
    look();
    return () => clearTimeout(timer);
  }, [client, threadId, isFetching]);
}

/** Larger files are loaded on request. */
const inlineBytes = 20_971_520;

const isPicture = ({ id, kind, size }: AttachedFile) => id !== null && kind === 'image' && size <= inlineBytes;

/** Files that provider tools created for an answer. */
export function GeneratedFiles({ message }: { message: Message }) {
  const { files, unkept = [] } = message;
  usePollMissingFiles(message);
  const pictures = files.filter(isPicture);
  const others = files.filter((file) => !isPicture(file));
  return (
    <section aria-label="Generated files" className="mt-3 grid grid-cols-1 gap-2">
      {pictures.length > 0 && (
        <ul aria-label="Images" className="flex flex-wrap gap-2">
          {pictures.map((file) => (
            <li key={file.id} className="min-w-0 max-w-full">
              <Picture file={file} id={file.id ?? 0} />
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <ul aria-label="Files" className="flex flex-wrap gap-1.5">
          {others.map((file, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a deleted file has nothing else that is unique
            <li key={index} className="min-w-0 max-w-full">
              <AttachedChip file={file} />
            </li>
          ))}
        </ul>
      )}
      {unkept.length > 0 && (
        <ul aria-label="Unavailable files" className="grid gap-1 text-muted-foreground text-sm">
          {unkept.map((file, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two of them may be called the same
            <MissingFile key={index} file={file} />
          ))}
        </ul>
      )}
    </section>
  );
}

const frame = 'block h-60 max-w-full rounded-md border border-border';

/** In a box of fixed height, so that nothing moves when it loads. */
function Picture({ file, id }: { file: AttachedFile; id: number }) {
  const { url, isMissing } = useImage(id);
  const [isBroken, setBroken] = useState(false);
  const look = useAttachmentPreview();
  const { filename, size } = file;
  if (isMissing || isBroken) return <AttachedChip file={file} />;
  if (url === null) return <Skeleton className={`${frame} w-96`} />;
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      title="Enlarge"
      onClick={() => look({ id, filename, size, isPicture: true })}
      className={`${frame} overflow-hidden bg-card transition-colors duration-120 hover:border-border-strong`}
    >
      <span className="sr-only">Enlarge </span>
      <img src={url} alt={filename} onError={() => setBroken(true)} className="size-full object-contain" />
    </button>
  );
}

function MissingFile({ file: { filename, state, error } }: { file: UnstoredFile }) {
  const provider = useProviderName();
  const hasFailed = state === 'failed';
  return (
    <li className="wrap-anywhere flex gap-1.5">
      <span className="flex h-5 shrink-0 items-center">
        {hasFailed ? (
          <CircleAlert aria-hidden className="size-3.5 text-destructive-text" />
        ) : (
          <Spinner className="size-3.5" />
        )}
      </span>
      <span className="min-w-0">
        <bdi>{filename}</bdi>
        {hasFailed
          ? ` could not be fetched: ${error}`
          : error === null
            ? ` is being fetched from ${provider}`
            : ` is not available yet: ${error} Roster will try again.`}
      </span>
    </li>
  );
}
