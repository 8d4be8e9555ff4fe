import { useNavigate } from '@tanstack/react-router';
import { useLogout } from '#web/api/current-user.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { toast } from '#web/lib/toast.ts';

/** A function that ends the session and shows the sign-in page; undefined while it runs. */
export function useSignOut() {
  const { isPending, mutateAsync } = useLogout();
  const navigate = useNavigate();
  if (isPending) return undefined;
  return () =>
    void mutateAsync()
      .then(() => {
        toast({ title: 'Logged out', description: "You've been signed out." });
        return navigate({ to: '/auth' });
      })
      .catch(showFailure('Logout failed'));
}
