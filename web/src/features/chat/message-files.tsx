import type { AttachedFile } from '@roster/contracts/chat';
import { files } from '@roster/contracts/files';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { addressOf } from '#web/lib/api.ts';
import { AttachmentChip, sizeOf } from './attachment-chip.tsx';

/** A larger image is not worth loading for a thumbnail. */
const pictureBytes = 5_242_880;

/** What was attached to a question; each file downloads. */
export function MessageFiles({ attached }: { attached: readonly AttachedFile[] }) {
  if (attached.length === 0) return null;
  return (
    <ul aria-label="Attached files" className="mb-2 flex flex-wrap gap-1.5">
      {attached.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the files of a message never change their order
        <li key={index} className="min-w-0 max-w-full">
          {file.id === null ? <DeletedFile file={file} /> : <StoredFile file={file} id={file.id} />}
        </li>
      ))}
    </ul>
  );
}

function DeletedFile({ file: { filename, kind } }: { file: AttachedFile }) {
  return <AttachmentChip filename={filename} detail="Deleted" kind={kind} faded />;
}

function StoredFile({ file, id }: { file: AttachedFile; id: number }) {
  const { filename, size, kind } = file;
  const picture = usePicture(id, kind === 'image' && size <= pictureBytes);
  return (
    <a
      href={addressOf(files.content, { params: { id } })}
      download={filename}
      title={`Download ${filename}`}
      className="block rounded-md hover:[&>div]:border-border-strong"
    >
      <span className="sr-only">Download </span>
      <AttachmentChip filename={filename} detail={sizeOf(size)} kind={kind} picture={picture} />
    </a>
  );
}

/** The bytes are fetched only for what is on the page, and shown through an address that only this page knows. */
function usePicture(id: number, wanted: boolean): string | null {
  const { data } = useQuery({
    queryKey: ['file-picture', id],
    queryFn: async ({ signal }) => {
      const answer = await fetch(addressOf(files.content, { params: { id } }), { signal });
      return answer.ok ? answer.blob() : null;
    },
    enabled: wanted,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!data) return;
    const made = URL.createObjectURL(data);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  return data ? url : null;
}
