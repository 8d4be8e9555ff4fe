import { Link } from '@tanstack/react-router';
import { buttonClass } from '#web/ui/button.tsx';

/** Link to the settings with the provider key; shown where a key is missing. */
export function SettingsLink() {
  return (
    <Link to="/settings" search={{ tab: 'api-keys' }} className={buttonClass({ size: 'sm', className: 'max-md:h-10' })}>
      Open Settings
    </Link>
  );
}
