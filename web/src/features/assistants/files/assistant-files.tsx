import { assistantFileLimit } from '@roster/contracts/assistants/assistants';
import { searchableExtensions } from '@roster/contracts/files/searchable-files';
import { useQuery } from '@tanstack/react-query';
import { Plus, Upload } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useEditAccess } from '#web/api/current-user.ts';
import { errorText } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { FileInput } from '#web/ui/forms/file-input.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { AssistantFileRow } from './assistant-file-row.tsx';
import { FilePicker } from './file-picker.tsx';
import { assistantFilesQuery, useAddAssistantFiles } from './file-queries.ts';
import { useKnowledgeUpload } from './use-knowledge-upload.ts';

/** Files that an assistant searches. Not part of the form: changes apply at once. */
export function AssistantFiles({ assistantId }: { assistantId: number }) {
  const titleId = useId();
  const [isChoosing, setChoosing] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const query = useQuery(assistantFilesQuery(assistantId));
  const add = useAddAssistantFiles(assistantId);
  const { reason } = useEditAccess();
  const count = query.data?.length ?? 0;
  const blocked =
    reason ?? (count >= assistantFileLimit ? `An assistant can have at most ${assistantFileLimit} files` : undefined);

  const put = (fileIds: number[]) =>
    add.mutateAsync(fileIds).catch((error: unknown) => {
      showFailure('Failed to add files', 'An error occurred. Please try again.')(error);
    });
  const upload = useKnowledgeUpload(put);
  const chosen = async (fileIds: number[]) => {
    await put(fileIds);
    endChoosing();
  };
  // Render the button again at once: a hidden element cannot take focus.
  const endChoosing = () => {
    flushSync(() => setChoosing(false));
    opener.current?.focus();
  };

  return (
    <section aria-labelledby={titleId} className="mt-7 border-border border-t pt-5">
      <h3 id={titleId} className="font-semibold">
        Files
      </h3>
      <p className="mt-1 text-muted-foreground text-sm">
        The model searches these files and cites them. Changes take effect immediately. The provider charges for
        searches separately; Roster’s costs count tokens only.
      </p>
      <List assistantId={assistantId} />
      {upload.current && (
        <output className="wrap-anywhere mt-3 block text-muted-foreground text-sm">
          {`Uploading ${upload.current.name}: ${upload.current.percent} %`}
        </output>
      )}
      {isChoosing ? (
        <FilePicker
          taken={query.data?.map(({ fileId }) => fileId) ?? []}
          room={assistantFileLimit - count}
          busy={add.isPending}
          onAdd={chosen}
          onCancel={endChoosing}
        />
      ) : null}
      <div className="mt-3 flex flex-wrap gap-2" hidden={isChoosing}>
        <Button ref={opener} size="sm" icon={Plus} disabledReason={blocked} onClick={() => setChoosing(true)}>
          Add files
        </Button>
        <UploadButton busy={upload.current !== null} disabledReason={blocked} onFiles={upload.begin} />
      </div>
    </section>
  );
}

function List({ assistantId }: { assistantId: number }) {
  const query = useQuery(assistantFilesQuery(assistantId));
  if (query.isPending)
    return (
      <div className="mt-3 grid gap-2">
        <span className="sr-only">Loading files</span>
        <Skeleton className="h-10" />
        <Skeleton className="h-10" />
      </div>
    );
  if (query.isError)
    return (
      <RetryNotice tone="destructive" live query={query} className="mt-3">
        {errorText(query.error, 'Failed to load the files.')}
      </RetryNotice>
    );
  if (query.data.length === 0)
    return <p className="mt-3 text-muted-foreground">No files yet. Answers use the model’s own knowledge.</p>;
  return (
    <ul aria-label="Files of this assistant" className="mt-3 divide-y divide-border rounded-md border border-border">
      {query.data.map((file) => (
        <AssistantFileRow key={file.fileId} assistantId={assistantId} file={file} />
      ))}
    </ul>
  );
}

type UploadButtonProps = { busy: boolean; disabledReason: string | undefined; onFiles: (files: File[]) => void };

function UploadButton({ busy, disabledReason, onFiles }: UploadButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        size="sm"
        icon={Upload}
        busy={busy}
        pendingLabel="Uploading..."
        disabledReason={disabledReason}
        onClick={() => input.current?.click()}
      >
        Upload
      </Button>
      <FileInput
        ref={input}
        multiple
        accept={searchableExtensions.join()}
        label="Upload files for this assistant"
        onFiles={onFiles}
      />
    </>
  );
}
