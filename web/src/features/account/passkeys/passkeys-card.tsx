import type { Passkey } from '@roster/contracts/passkeys';
import { useQuery } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { RecoveryCodesDialog } from '#web/components/recovery-codes.tsx';
import { MethodRow } from '#web/features/account/shared/method-row.tsx';
import { errorText } from '#web/lib/api-client.ts';
import { passkeysWork } from '#web/lib/passkeys-work.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { RetryNotice } from '#web/ui/states/retry-notice.tsx';
import { Skeleton } from '#web/ui/states/skeleton.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import { AddPasskeyDialog, RemovePasskeyDialog, RenamePasskeyDialog } from './passkey-dialogs.tsx';
import { passkeysQuery } from './queries.ts';

type Open = { dialog: 'add' } | { dialog: 'rename' | 'remove'; passkey: Passkey } | null;

/** Passkeys of the account. */
export function PasskeysCard() {
  const query = useQuery(passkeysQuery);
  const [open, setOpen] = useState<Open>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => setOpen(null);
  const added = (recoveryCodes: string[] | null) => {
    close();
    setCodes(recoveryCodes);
    toast({ title: 'Passkey added', description: 'You can sign in with it from now on.' });
  };
  return (
    <Card>
      <CardHeader
        title="Passkeys"
        description="Sign in with your device’s fingerprint, face or PIN. Passkeys cannot be phished."
      />
      {query.data ? (
        <ul className="divide-y divide-border px-5 py-2">
          {query.data.passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onOpen={setOpen} />
          ))}
          <AddRow isFirst={query.data.passkeys.length === 0} onAdd={() => setOpen({ dialog: 'add' })} />
        </ul>
      ) : query.isError ? (
        <div className="p-5">
          <RetryNotice tone="destructive" live title="Failed to load passkeys" query={query}>
            {errorText(query.error)}
          </RetryNotice>
        </div>
      ) : (
        <ul className="px-5 py-2">
          <MethodRow icon={Fingerprint} name="Passkeys" status={<Skeleton className="mt-1.5 h-3.5 w-28" />} />
        </ul>
      )}
      {open?.dialog === 'add' && query.data && (
        <AddPasskeyDialog proposedName={query.data.proposedName} onClose={close} onAdded={added} />
      )}
      {open?.dialog === 'rename' && <RenamePasskeyDialog passkey={open.passkey} onClose={close} />}
      {open?.dialog === 'remove' && <RemovePasskeyDialog passkey={open.passkey} onClose={close} />}
      {codes && <RecoveryCodesDialog codes={codes} onClose={() => setCodes(null)} />}
    </Card>
  );
}

function AddRow({ isFirst, onAdd }: { isFirst: boolean; onAdd: () => void }) {
  const works = passkeysWork();
  return (
    <MethodRow
      icon={Fingerprint}
      name={isFirst ? 'No passkey yet' : 'Another passkey'}
      status={works ? 'On this device, a phone or a security key' : 'This browser cannot use passkeys at this address'}
      action={
        works && (
          <Button size="sm" aria-label="Add a passkey" onClick={onAdd}>
            Add
          </Button>
        )
      }
    />
  );
}

function PasskeyRow({ passkey, onOpen }: { passkey: Passkey; onOpen: (open: Open) => void }) {
  const { name, createdAt, lastUsedAt, synced } = passkey;
  return (
    <MethodRow
      icon={Fingerprint}
      name={name}
      status={
        <>
          {synced ? 'Synced between devices' : 'On one device'}, added <RelativeTime date={createdAt} />
          {lastUsedAt ? (
            <>
              , last used <RelativeTime date={lastUsedAt} />
            </>
          ) : (
            ', not used yet'
          )}
        </>
      }
      action={
        <div className="flex flex-wrap justify-end gap-2">
          <Button size="sm" aria-label={`Rename ${name}`} onClick={() => onOpen({ dialog: 'rename', passkey })}>
            Rename
          </Button>
          <Button size="sm" aria-label={`Remove ${name}`} onClick={() => onOpen({ dialog: 'remove', passkey })}>
            Remove
          </Button>
        </div>
      }
    />
  );
}
