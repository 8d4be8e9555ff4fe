import { FormDialog } from '#web/components/form-dialog.tsx';
import { AppSetupFields, useAppSetup } from './app-setup.tsx';

type Props = { onClose: () => void; onAdded: (recoveryCodes: string[] | null) => void };

export function AppSetupDialog({ onClose, onAdded }: Props) {
  const { start, form, submit, busy, isReady } = useAppSetup(onAdded);
  return (
    <FormDialog
      title="Set up an authenticator app"
      description="Signing in will also ask for a code from the app."
      action={['Turn On', 'Turning on...']}
      busy={busy}
      disabledReason={isReady ? undefined : 'Setup has not started yet'}
      onSubmit={submit}
      onClose={onClose}
    >
      <AppSetupFields start={start} form={form} />
    </FormDialog>
  );
}
