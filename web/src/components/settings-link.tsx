import { Link } from '@tanstack/react-router';
import { buttonClass } from '#web/ui/button.tsx';

/** To where the provider key is saved; beside what cannot be asked without one. */
export function SettingsLink() {
  return (
    <Link to="/settings" search={{ tab: 'api-keys' }} className={buttonClass({ size: 'sm', className: 'max-md:h-10' })}>
      Open Settings
    </Link>
  );
}
