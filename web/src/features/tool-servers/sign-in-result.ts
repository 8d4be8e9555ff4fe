import type { ToolServer, ToolSignInFailure } from '@roster/contracts/tool-servers/tool-servers';
import { useEffect, useRef } from 'react';
import { toast, toastError } from '#web/lib/toast.ts';

/** Result of signing in at a tool server, as the address carries it: the server's id or an error. */
export type SignInResult = { signedIn?: number | undefined; signInFailed?: string | undefined };

const failures: Record<ToolSignInFailure, string> = {
  expired:
    'The sign-in took longer than ten minutes, was already used, or was started in another browser. Start again and finish it in this browser.',
  cancelled: 'You did not give Roster access, so nothing has changed. You can try again at any time.',
  failed: 'The login provider did not sign you in, for the reason below.',
  changed: 'The tool server or your permissions have changed. Try again.',
  too_many: 'Too many sign-in attempts from your network. Wait five minutes and try again.',
};
/** Object.hasOwn, because the code comes from the address and may be anything. */
const isFailure = (code: string): code is ToolSignInFailure => Object.hasOwn(failures, code);

/** Shows the result once, with the server's name. */
export function useSignInResult(
  { signedIn, signInFailed }: SignInResult,
  servers: ToolServer[] | undefined,
  onReported: () => void,
) {
  const isReported = useRef(false);
  useEffect(() => {
    if (servers === undefined || isReported.current || (signedIn === undefined && signInFailed === undefined)) return;
    isReported.current = true;
    const server = servers.find(({ id, signIn }) => id === signedIn && signIn?.state === 'done');
    if (signInFailed !== undefined)
      toastError({
        title: 'Failed to sign in',
        description: isFailure(signInFailed) ? failures[signInFailed] : 'Please try again.',
        duration: 12_000,
      });
    // An id in the address alone proves nothing.
    else if (server)
      toast({
        title: `Signed in to “${server.name}”`,
        description: server.isOwn ? 'Roster is loading its tools.' : 'Its tools can be called for you now.',
      });
    onReported();
  }, [servers, signedIn, signInFailed, onReported]);
}
