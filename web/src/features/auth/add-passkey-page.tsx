import { passkeys } from '@roster/contracts/passkeys';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fingerprint } from 'lucide-react';
import { addPasskey } from '#web/api/add-passkey.ts';
import { RecoveryCodes } from '#web/components/recovery-codes.tsx';
import { call } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { NarrowPage } from './narrow-page.tsx';

/** The second half of accepting an invitation with a passkey: a browser makes one only when a button is pressed. */
export function AddPasskeyPage() {
  const add = useMutation({
    mutationFn: async () => addPasskey((await call(passkeys.list, {})).proposedName),
    onError(error) {
      if (error.name !== 'PasskeyCancelledError') showFailure('Failed to add the passkey', 'Please try again.')(error);
    },
  });
  if (add.data)
    return (
      <NarrowPage title="Welcome" heading="Save your recovery codes" lead="They are shown only once.">
        <div className="mt-6 grid gap-6">
          {add.data.recoveryCodes && <RecoveryCodes codes={add.data.recoveryCodes} />}
          <Link to="/" className={buttonClass({ variant: 'primary', className: 'justify-self-start' })}>
            I have saved them
          </Link>
        </div>
      </NarrowPage>
    );
  return (
    <NarrowPage
      title="Welcome"
      heading="Add your passkey"
      lead="Your account is ready. A passkey on your device is how you will log in to it."
    >
      <div className="mt-6 flex flex-wrap gap-2">
        <Button
          variant="primary"
          icon={Fingerprint}
          busy={add.isPending}
          pendingLabel="Adding..."
          onClick={() => add.mutate()}
        >
          Add Passkey
        </Button>
        <Link to="/request-reset-password" className={buttonClass({ variant: 'ghost' })}>
          Set a password instead
        </Link>
      </div>
    </NarrowPage>
  );
}
