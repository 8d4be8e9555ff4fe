import { account } from '@roster/contracts/account';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { ApiError, addressOf, errorText, readError } from '#web/lib/api.ts';
import { saveBlob } from '#web/lib/save-file.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardBody, CardHeader } from '#web/ui/card.tsx';
import { toast } from '#web/ui/toast.tsx';
import { securityEventsQuery } from './account-queries.ts';

/** Everything of the person, to take along. */
export function ExportCard() {
  const download = useDownload();
  return (
    <Card>
      <CardHeader
        title="Download your data"
        description="One ZIP archive with files that other software can read: your account and preferences, your assistants, your conversations with all their branches, your usage and costs, and your security activity. Your API key and your password are not in it; nobody can read them back."
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

/** Told from here, not from the button: the download goes on when another tab is opened. */
function useDownload() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: download,
    onSuccess: () => toast({ title: 'Data downloaded', description: 'The archive is in your downloads.' }),
    onError: (error) =>
      toast({
        title: 'Download failed',
        description: errorText(error, 'Your data could not be downloaded. Please try again.'),
        variant: 'destructive',
      }),
    onSettled: () => client.invalidateQueries({ queryKey: securityEventsQuery.queryKey }),
  });
}

/**
 * Fetched, not followed as a link: a link that is refused, or breaks off in the middle, ends as an error page or as
 * half an archive, and this page would not know. Browsers keep the body of an answer that is read as a blob on the disk
 * once it is large, so the archive does not have to fit into memory.
 */
async function download(): Promise<void> {
  try {
    const response = await fetch(addressOf(account.exportData, {}), { credentials: 'same-origin' });
    if (!response.ok) throw await readError(response);
    saveBlob(fileNameOf(response) ?? 'roster-export.zip', await response.blob());
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw new ApiError(
      'The download broke off. Check your connection and try again.',
      { status: 0, code: 'unreachable', hasServerMessage: true },
      { cause },
    );
  }
}

const fileNameOf = ({ headers }: Response): string | undefined =>
  /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1];
