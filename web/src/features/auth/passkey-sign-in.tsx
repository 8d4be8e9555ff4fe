import { passkeys } from '@roster/contracts/passkeys';
import { useMutation } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useSignedIn } from '#web/api/current-user.ts';
import { choosePasskey, PasskeyCancelledError, stopPasskeys } from '#web/api/passkey-ceremony.ts';
import { call, errorText } from '#web/lib/api-client.ts';
import { dismissErrorToasts, toastError } from '#web/lib/toast.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/states/toast.tsx';

/** Shorter than the five minutes for which the server accepts a challenge. */
const renewMs = 4 * 60_000;

async function choose(fromField: boolean) {
  try {
    return await choosePasskey(await call(passkeys.signInOptions, {}), fromField);
  } catch (error) {
    // Nobody asked for the suggestions, so nobody is told that there are none.
    throw fromField ? new PasskeyCancelledError('No suggestions', { cause: error }) : error;
  }
}

const signIn = async (fromField: boolean) => call(passkeys.signIn, { body: { credential: await choose(fromField) } });

const isCancelled = (error: Error) => error.name === 'PasskeyCancelledError';

/** The button; the browser also suggests passkeys in the email field. */
export function PasskeySignIn() {
  const signedIn = useSignedIn();
  const login = useMutation({
    mutationFn: signIn,
    onSuccess(user) {
      dismissErrorToasts();
      signedIn(user);
      toast({ title: 'Welcome back!', description: `You're now signed in as ${user.email}.` });
    },
    onError(error) {
      if (!isCancelled(error)) toastError({ title: 'Login failed', description: errorText(error) });
    },
  });
  const { mutate } = login;
  const isChosen = useRef(false);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    async function suggest() {
      const available = await window.PublicKeyCredential.isConditionalMediationAvailable?.();
      if (available && !isChosen.current) mutate(true);
      timer = setTimeout(suggest, renewMs);
    }
    void suggest();
    return () => {
      clearTimeout(timer);
      stopPasskeys();
    };
  }, [mutate]);

  const start = () => {
    isChosen.current = true;
    stopPasskeys();
    mutate(false, {
      onSettled: () => {
        isChosen.current = false;
      },
    });
  };
  return (
    <Button
      icon={Fingerprint}
      busy={login.isPending && login.variables === false}
      pendingLabel="Waiting for your passkey..."
      onClick={start}
      className="mt-3 w-full"
    >
      Sign in with a passkey
    </Button>
  );
}
