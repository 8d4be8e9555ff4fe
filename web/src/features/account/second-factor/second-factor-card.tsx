import type { SecondFactorState } from '@roster/contracts/second-factor';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { LifeBuoy, Smartphone } from 'lucide-react';
import { useState } from 'react';
import { RecoveryCodesDialog } from '#web/components/recovery-codes.tsx';
import { MethodRow } from '#web/features/account/shared/method-row.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { AppSetupDialog } from './app-setup-dialog.tsx';
import { secondFactorQuery, useNewRecoveryCodes, useRemoveApp } from './queries.ts';

type Open = 'set-up' | 'remove' | 'new-codes' | null;

const longDay = new Intl.DateTimeFormat('en-US', { dateStyle: 'long' });

/** Authenticator app and recovery codes of the account. */
export function SecondFactorCard() {
  const query = useQuery(secondFactorQuery);
  const client = useQueryClient();
  const [open, setOpen] = useState<Open>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => setOpen(null);
  const added = (recoveryCodes: string[] | null) => {
    close();
    setCodes(recoveryCodes);
    void client.invalidateQueries();
    toast({ title: 'Authenticator app added', description: 'Signing in asks for a code from now on.' });
  };
  return (
    <Card>
      <CardHeader
        title="Second Factor"
        description="A second step when you sign in, in case your password is stolen."
      />
      {query.data?.dueAt && (
        <div className="px-5 pt-4">
          <Notice tone="warning">
            An administrator requires a second factor. Set one up before {longDay.format(new Date(query.data.dueAt))}.
          </Notice>
        </div>
      )}
      {query.data ? (
        <Rows state={query.data} onOpen={setOpen} />
      ) : query.isError ? (
        <div className="p-5">
          <RetryNotice tone="destructive" live title="Failed to load the second factor" query={query}>
            {errorText(query.error)}
          </RetryNotice>
        </div>
      ) : (
        <ul className="px-5 py-2">
          <MethodRow icon={Smartphone} name="Authenticator app" status={<Skeleton className="mt-1.5 h-3.5 w-28" />} />
        </ul>
      )}
      {open === 'set-up' && <AppSetupDialog onClose={close} onAdded={added} />}
      {open === 'remove' && <RemoveAppDialog onClose={close} />}
      {open === 'new-codes' && <NewCodesDialog onClose={close} onMade={setCodes} />}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />}
    </Card>
  );
}

function Rows({ state, onOpen }: { state: SecondFactorState; onOpen: (open: Open) => void }) {
  const { app, passkeys, recoveryCodesLeft: left } = state;
  return (
    <ul className="divide-y divide-border px-5 py-2">
      <MethodRow
        icon={Smartphone}
        name="Authenticator app"
        status={app ? <AppStatus {...app} /> : 'Not set up'}
        action={
          app ? (
            <Button size="sm" aria-label="Remove authenticator app" onClick={() => onOpen('remove')}>
              Remove
            </Button>
          ) : (
            <Button size="sm" aria-label="Set up authenticator app" onClick={() => onOpen('set-up')}>
              Set Up
            </Button>
          )
        }
      />
      {(app || passkeys > 0) && (
        <MethodRow
          icon={LifeBuoy}
          name="Recovery codes"
          status={
            <span className={left < 3 ? 'text-warning-text' : undefined}>
              {left === 1 ? '1 code left' : `${left} codes left`}
            </span>
          }
          action={
            <Button size="sm" aria-label="New recovery codes" onClick={() => onOpen('new-codes')}>
              New Codes
            </Button>
          }
        />
      )}
    </ul>
  );
}

function AppStatus({ addedAt, lastUsedAt }: NonNullable<SecondFactorState['app']>) {
  return (
    <>
      Added <RelativeTime date={addedAt} />
      {lastUsedAt && (
        <>
          , last used <RelativeTime date={lastUsedAt} />
        </>
      )}
    </>
  );
}

function RemoveAppDialog({ onClose }: { onClose: () => void }) {
  const remove = useRemoveApp();
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        onClose();
        toast({ title: 'Authenticator app removed' });
      },
      onError: showFailure('Failed to remove the app', 'Please try again.'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Remove authenticator app"
      description="Signing in no longer asks for its codes. If you have no other second factor, your recovery codes stop working and remembered devices are forgotten."
      confirmLabel="Remove"
      pendingLabel="Removing..."
      destructive
      busy={remove.isPending}
      onConfirm={confirm}
    />
  );
}

function NewCodesDialog({ onClose, onMade }: { onClose: () => void; onMade: (codes: readonly string[]) => void }) {
  const make = useNewRecoveryCodes();
  const confirm = () =>
    make.mutate(undefined, {
      onSuccess: ({ recoveryCodes }) => {
        onClose();
        onMade(recoveryCodes);
      },
      onError: showFailure('Failed to create new codes', 'Please try again.'),
    });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="New recovery codes"
      description="Your current recovery codes stop working."
      confirmLabel="Create New Codes"
      pendingLabel="Creating codes..."
      busy={make.isPending}
      onConfirm={confirm}
    />
  );
}
