import { useNavigate } from '@tanstack/react-router';
import { ApiError } from '#web/lib/api-client.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { toast } from '#web/ui/states/toast.tsx';
import { type Closing, useCloseAccount } from './account-queries.ts';

/** Errors that the dialog shows itself. */
const isShownInDialog = (error: unknown) =>
  error instanceof ApiError &&
  (error.fields?.password !== undefined ||
    error.code === 'invalid_credentials' ||
    error.code === 'fresh_sign_in_required');

/** Closes the account and opens the login page. Returns the error; shows a toast unless the dialog does. */
export function useDeleteAccount() {
  const { mutateAsync, isPending } = useCloseAccount();
  const navigate = useNavigate();
  async function close(closing: Closing): Promise<unknown> {
    if (isPending) return undefined;
    try {
      await mutateAsync(closing);
    } catch (error) {
      if (!isShownInDialog(error)) showFailure('Failed to close account', 'Please try again.')(error);
      return error;
    }
    toast({ title: 'Account closed', description: 'Your account and everything in it has been removed.' });
    await navigate({ to: '/auth' });
    return undefined;
  }
  return { isPending, close };
}
