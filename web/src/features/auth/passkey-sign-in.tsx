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

/** `isChosen`: the button was pressed, so suggestions that are only starting must not take its place. */
async function choose(fromField: boolean, isChosen: () => boolean) {
  try {
    const options = await call(passkeys.signInOptions, {});
    if (fromField && isChosen()) throw new PasskeyCancelledError('The button was pressed');
    return await choosePasskey(options, fromField);
  } catch (error) {
    // Nobody asked for the suggestions, so a failure shows nothing.
    throw fromField ? new PasskeyCancelledError('No suggestions', { cause: error }) : error;
  }
}

const signIn = async (fromField: boolean, isChosen: () => boolean) =>
  call(passkeys.signIn, { body: { credential: await choose(fromField, isChosen) } });

const isCancelled = (error: Error) => error.name === 'PasskeyCancelledError';

/** The button; the browser also suggests passkeys in the email field. */
export function PasskeySignIn() {
  const signedIn = useSignedIn();
  const isChosen = useRef(false);
  const login = useMutation({
    mutationFn: (fromField: boolean) => signIn(fromField, () => isChosen.current),
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

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let hasLeft = false;
    async function suggest() {
      const available = await window.PublicKeyCredential.isConditionalMediationAvailable?.();
      // The browser may take its time: a page that is gone asks for nothing, now or in four minutes.
      if (hasLeft) return;
      if (available && !isChosen.current) mutate(true);
      timer = setTimeout(suggest, renewMs);
    }
    void suggest();
    return () => {
      hasLeft = true;
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
