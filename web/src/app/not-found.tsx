import { Link } from '@tanstack/react-router';
import { use } from 'react';
import { buttonClass } from '#web/ui/button.tsx';
import { Logo } from '#web/ui/logo.tsx';
import { MainLandmarkContext } from './main-landmark-context.ts';

export function NotFoundPage() {
  const Frame = use(MainLandmarkContext) ? 'div' : 'main';
  return (
    <Frame className="flex min-h-dvh flex-col items-center justify-center px-6 text-center">
      <title>Page Not Found · Roster</title>
      <Logo className="mb-6 size-9" />
      <h1 className="font-semibold text-xl">404 - Page Not Found</h1>
      <p className="mt-2 mb-6 max-w-sm text-muted-foreground">
        Check the address. The page may have been moved or removed.
      </p>
      <Link to="/" className={buttonClass({ variant: 'primary' })}>
        Return to Home
      </Link>
    </Frame>
  );
}
