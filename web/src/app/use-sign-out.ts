import { useNavigate } from '@tanstack/react-router';
import { useLogout } from '#web/api/current-user.ts';
import { showFailure } from '#web/lib/show-failure.ts';
import { toast } from '#web/lib/toast.ts';

/** Ends the session and shows the sign-in page. */
export function useSignOut() {
  const logout = useLogout();
  const navigate = useNavigate();
  const signOut = async () => {
    if (logout.isPending) return;
    try {
      await logout.mutateAsync();
      toast({ title: 'Logged out', description: "You've been signed out." });
      await navigate({ to: '/auth' });
    } catch (error) {
      showFailure('Logout failed')(error);
    }
  };
  return { signOut, isPending: logout.isPending };
}
