import { passkeys } from '@roster/contracts/passkeys';
import { call } from '#web/lib/api-client.ts';

/** Has the browser make a passkey, and stores it. @throws PasskeyCancelledError, or an error to show */
export async function addPasskey(name: string) {
  const options = await call(passkeys.addOptions, {});
  const { makePasskey } = await import('./passkey-ceremony.ts');
  return call(passkeys.add, { body: { name, credential: await makePasskey(options) } });
}
