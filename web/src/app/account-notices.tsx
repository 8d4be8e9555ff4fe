import { account } from '@roster/contracts/account';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, errorText } from '#web/lib/api-client.ts';
import { formatLongDate } from '#web/lib/text/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialogs/dialog.tsx';
import { Notice } from '#web/ui/states/notice.tsx';

const noticesQuery = queryOptions({
  queryKey: ['account-notices'],
  queryFn: ({ signal }) => call(account.notices, {}, signal),
});

/** Notices that the user must read, one after another. They return until dismissed. */
export function AccountNotices() {
  const client = useQueryClient();
  const { data } = useQuery(noticesQuery);
  const dismiss = useMutation({
    mutationFn: (id: number) => call(account.dismissNotice, { params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: noticesQuery.queryKey }),
  });
  const [notice] = data ?? [];
  if (!notice) return null;
  const who = notice.doneBy === null ? 'the operator of this installation' : notice.doneBy;
  const understood = () => dismiss.mutate(notice.id);
  return (
    <Dialog
      open
      // Must be confirmed; cannot be dismissed with Escape or a click outside.
      onOpenChange={undefined}
      role="alertdialog"
      size="sm"
      title={`Someone was shown a ${notice.kind === 'login_link_shown' ? 'login' : 'password'} link for your account`}
      description={`On ${formatLongDate(notice.at)} a link that ${notice.kind === 'login_link_shown' ? 'signs in to' : 'sets a new password for'} this account was shown to ${who}.`}
      footer={
        <Button variant="primary" busy={dismiss.isPending} pendingLabel="Saving..." onClick={understood}>
          I have read this
        </Button>
      }
    >
      <div className="grid gap-3">
        <p>
          Anyone who opened it could sign in to your account and read everything in it. If you asked for the link and
          used it yourself, there is nothing to do.
        </p>
        <p className="text-muted-foreground text-sm">
          If not, change your password under Settings, Account, which signs all other devices out, and look at Recent
          security activity there.
        </p>
        {dismiss.isError && (
          <Notice tone="destructive" live>
            {errorText(dismiss.error, 'The notice could not be dismissed. Please try again.')}
          </Notice>
        )}
      </div>
    </Dialog>
  );
}
