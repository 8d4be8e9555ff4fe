import { useNavigate } from '@tanstack/react-router';
import { useMailedLink } from '#web/app/use-mailed-link.ts';
import { LoginLinkPage } from '#web/features/auth/login-link-page.tsx';

export function LoginLinkRoute() {
  const link = useMailedLink();
  const navigate = useNavigate();
  return (
    <LoginLinkPage
      link={link}
      onDone={() => void navigate({ to: '/' })}
      onSecondStep={() => void navigate({ to: '/auth', search: { step: 'second-factor' } })}
    />
  );
}
