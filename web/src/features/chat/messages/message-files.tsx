import type { AttachedFile } from '@roster/contracts/chat';
import { AttachmentChip, sizeOf } from '#web/features/chat/attachments/attachment-chip.tsx';
import { useLook } from '#web/features/chat/attachments/attachment-look.tsx';
import { pictureBytes, usePicture } from '#web/features/chat/attachments/use-picture.ts';

/** What was attached to a question; a click shows a file. */
export function MessageFiles({ attached }: { attached: readonly AttachedFile[] }) {
  if (attached.length === 0) return null;
  return (
    <ul aria-label="Attached files" className="mb-2 flex flex-wrap gap-1.5">
      {attached.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the files of a message never change their order
        <li key={index} className="min-w-0 max-w-full">
          {file.id === null ? <DeletedFile file={file} /> : <KeptFile file={file} id={file.id} />}
        </li>
      ))}
    </ul>
  );
}

function DeletedFile({ file: { filename, kind } }: { file: AttachedFile }) {
  return <AttachmentChip filename={filename} detail="Deleted" kind={kind} faded />;
}

function KeptFile({ file, id }: { file: AttachedFile; id: number }) {
  const { filename, size, kind } = file;
  const picture = usePicture(kind === 'image' && size <= pictureBytes ? id : null);
  const look = useLook();
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
