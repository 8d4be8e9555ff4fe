import { Link } from '@tanstack/react-router';
import { buttonClass } from '#web/ui/button.tsx';
import { Mark } from '#web/ui/mark.tsx';

export function RequestResetPage() {
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col px-5 pt-12 sm:pt-[14dvh]">
      <title>Reset password · Roster</title>
      <Mark className="mb-5 size-9" />
      <h1 className="font-semibold text-xl tracking-[-0.012em]">Reset your password</h1>
      <p className="mt-2 text-muted-foreground">
        Roster does not mail reset links yet. Whoever runs this installation can help you back into your account.
      </p>
      <Link to="/auth" className={buttonClass({ className: 'mt-6 self-start' })}>
        Back to login
      </Link>
    </main>
  );
}
