import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { ResetPasswordPage } from '#web/features/auth/reset-password-page.tsx';
import { useMailedLink } from './use-mailed-link.ts';

export function ResetPasswordRoute() {
  const link = useMailedLink();
  const navigate = useNavigate();
  const toLogin = useCallback(() => void navigate({ to: '/auth' }), [navigate]);
  return <ResetPasswordPage link={link} onDone={toLogin} />;
}
