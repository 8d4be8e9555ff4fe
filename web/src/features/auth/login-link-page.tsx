import { auth } from '@roster/contracts/auth';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useSignedIn } from '#web/api/current-user.ts';
import { ApiError, call, errorText } from '#web/lib/api-client.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/states/notice.tsx';
import { toast } from '#web/ui/states/toast.tsx';
import type { MailedLink } from './mailed-link.ts';
import { NarrowPage } from './narrow-page.tsx';

type LoginLinkPageProps = {
  /** null if the address is not that of a login link. */
  link: MailedLink | null;
  onDone: () => void;
  /** Opens the page that asks for the second factor. */
  onSecondStep: () => void;
};

/** Signs in with a link from the operator. Asks first, because programs that preview a link would use it up. */
export function LoginLinkPage({ link, onDone, onSecondStep }: LoginLinkPageProps) {
  const signedIn = useSignedIn();
  const login = useMutation({
    mutationFn: (body: MailedLink) => call(auth.loginByLink, { body }),
    onSuccess(user) {
      onDone();
      signedIn(user);
      toast({ title: 'Welcome back!', description: `You're now signed in as ${user.email}.` });
    },
    onError(error) {
      if (error instanceof ApiError && error.code === 'second_factor_required') onSecondStep();
    },
  });
  const isUsed = login.error instanceof ApiError && login.error.code === 'invalid_token';
  if (!link || isUsed)
    return (
      <NarrowPage
        title="Invalid login link"
        heading="This login link does not work"
        lead={
          login.error
            ? errorText(login.error)
            : 'Part of the link is missing, or the page was reloaded. Open the whole link once more.'
        }
      >
        <Link to="/auth" className={buttonClass({ className: 'mt-6 self-start' })}>
          Back to login
        </Link>
      </NarrowPage>
    );
  return (
    <NarrowPage
      title="Log in"
      heading="Log in with this link"
      lead="The operator of this installation made it for you. It works once."
    >
      {login.isError && (
        <Notice tone="destructive" live className="mt-5">
          {errorText(login.error)}
        </Notice>
      )}
      <Button
        variant="primary"
        busy={login.isPending}
        pendingLabel="Logging in..."
        className="mt-6 self-start"
        onClick={() => login.mutate(link)}
      >
        Log In
      </Button>
    </NarrowPage>
  );
}
