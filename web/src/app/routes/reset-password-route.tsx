import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useMailedLink } from '#web/app/use-mailed-link.ts';
import { ResetPasswordPage } from '#web/features/auth/reset-password-page.tsx';

export function ResetPasswordRoute() {
  const link = useMailedLink();
  const navigate = useNavigate();
  const toLogin = useCallback(() => void navigate({ to: '/auth' }), [navigate]);
  return <ResetPasswordPage link={link} onDone={toLogin} />;
}
