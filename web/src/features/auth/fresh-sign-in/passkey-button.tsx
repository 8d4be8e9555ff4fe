import { passkeys } from '@roster/contracts/passkeys';
import { Fingerprint } from 'lucide-react';
import { useState } from 'react';
import { choosePasskey, PasskeyCancelledError } from '#web/api/passkey-ceremony.ts';
import { call } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { Button } from '#web/ui/button.tsx';

async function confirmByPasskey() {
  const credential = await choosePasskey(await call(passkeys.confirmOptions, {}));
  await call(passkeys.confirm, { body: { credential } });
}

/** Confirms the identity of the user with a passkey. */
export function PasskeyButton({ onConfirmed }: { onConfirmed: () => void }) {
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    try {
      await confirmByPasskey();
      onConfirmed();
    } catch (error) {
      setBusy(false);
      if (!(error instanceof PasskeyCancelledError)) showFailure('Not confirmed')(error);
    }
  };
  return (
    <Button
      icon={Fingerprint}
      busy={isBusy}
      pendingLabel="Waiting for your passkey..."
      onClick={() => void confirm()}
      className="w-full"
    >
      Use a passkey
    </Button>
  );
}
