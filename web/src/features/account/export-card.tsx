import { account } from '@roster/contracts/account';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { ApiError, callForBytes, urlOf } from '#web/lib/api-client.ts';
import { saveBlob, saveFrom } from '#web/lib/download.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { securityEventsQuery } from './shared/security-events-query.ts';

/** Download of all the user's data. */
export function ExportCard() {
  const download = useDownload();
  return (
    <Card>
      <CardHeader
        title="Download your data"
        description="One ZIP archive with files that other software can read: your account and preferences, your assistants, your conversations with all their branches, your files, your usage and costs, and your security activity. Your API key and your password are not included."
      />
      <CardBody className="pt-4">
        <Button
          icon={Download}
          busy={download.isPending}
          pendingLabel="Preparing..."
          onClick={() => download.mutate(undefined)}
        >
          Download your data
        </Button>
      </CardBody>
    </Card>
  );
}

/** Notifies here, not in the button: the download continues when the tab is switched. */
function useDownload() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: download,
    onSuccess: (isSaved) =>
      toast(
        isSaved
          ? { title: 'Data downloaded', description: 'The archive is in your downloads.' }
          : { title: 'Download started', description: 'The archive is large; your browser shows the progress.' },
      ),
    onError: showFailure('Download failed', 'Your data could not be downloaded. Please try again.'),
    onSettled: () => client.invalidateQueries({ queryKey: securityEventsQuery.queryKey }),
  });
}

const maxInMemory = 32 * 1_048_576;

/**
 * Fetched rather than linked: a refused or aborted link would leave an error page or half an archive unnoticed. Only
 * archives too large for memory (a 500 MB blob took 850 MB in Chromium) are left to the browser, which streams them to
 * disk. Returns true if saved, false if left to the browser.
 */
async function download(): Promise<boolean> {
  const controller = new AbortController();
  try {
    const response = await callForBytes(account.exportData, {}, controller.signal);
    const archive = await readUpTo(maxInMemory, response);
    if (archive) saveBlob(fileNameOf(response) ?? 'roster-export.zip', archive);
    else saveFrom(urlOf(account.exportData, {}));
    return archive !== undefined;
  } catch (cause) {
    if (cause instanceof ApiError && cause.status !== 0) throw cause;
    throw new ApiError(
      'The download was interrupted. Check your connection and try again.',
      { status: 0, code: 'unreachable', hasServerMessage: true },
      { cause },
    );
  } finally {
    controller.abort();
  }
}

/** The whole body; undefined if it exceeds the limit. */
async function readUpTo(limit: number, response: Response): Promise<Blob | undefined> {
  const reader = response.body?.getReader();
  const pieces: BlobPart[] = [];
  let size = 0;
  while (reader) {
    const { value, done } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) return undefined;
    pieces.push(value);
  }
  return new Blob(pieces, { type: 'application/zip' });
}

const fileNameOf = ({ headers }: Response): string | undefined =>
  /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1];
