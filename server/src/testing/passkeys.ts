import type { Assertion } from '@roster/contracts/passkeys';
import type { Authenticator } from './authenticator.ts';
import type { HttpClient } from './http-client.ts';

export const passkeysPath = '/api/user/passkeys';

/** Adds a passkey for a signed-in user. */
export async function addPasskey(visitor: HttpClient, authenticator: Authenticator, name = 'Key') {
  const { body: options } = await visitor.post(`${passkeysPath}/options`);
  const { status, body } = await visitor.post(passkeysPath, { name, credential: authenticator.create(options) });
  if (status !== 201) throw new Error(`the passkey was not added: ${JSON.stringify(body)}`);
  return { id: Number(body.passkey.id), recoveryCodes: body.recoveryCodes };
}

export const signInOptions = async (visitor: HttpClient) => (await visitor.post('/api/login/passkey/options')).body;

export const sendPasskey = (visitor: HttpClient, credential: Assertion) =>
  visitor.post('/api/login/passkey', { credential });

export const signInWithPasskey = async (visitor: HttpClient, authenticator: Authenticator) =>
  sendPasskey(visitor, authenticator.get(await signInOptions(visitor)));

export const secondStepOptions = async (visitor: HttpClient) =>
  (await visitor.post('/api/login/second-factor/passkey/options')).body;

export const secondStepByPasskey = async (visitor: HttpClient, authenticator: Authenticator, remember = false) =>
  visitor.post('/api/login/second-factor/passkey', {
    credential: authenticator.get(await secondStepOptions(visitor)),
    remember,
  });
