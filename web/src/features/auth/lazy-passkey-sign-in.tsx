import { useAppReady } from '#web/lib/app-ready.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { passkeysWork } from '#web/lib/passkeys-work.ts';

const Placeholder = () => <div className="mt-3 h-9 max-md:h-10" />;

const Loaded = lazyPart(async () => (await import('./passkey-sign-in.tsx')).PasskeySignIn, {
  pending: Placeholder,
  failed: Placeholder,
});

/** Nothing in a browser that cannot use passkeys. Loaded once email and password can be typed. */
export function PasskeySignIn() {
  const isReady = useAppReady();
  if (!passkeysWork()) return null;
  return isReady ? <Loaded /> : <Placeholder />;
}
