import { createHash } from 'node:crypto';
import type { Assertion, CreationOptions, NewCredential, RequestOptions } from '@roster/contracts/passkeys';
import { challengeMs } from './challenge-repository.ts';
import type { NewPasskey, StoredPasskey, Use } from './passkey-repository.ts';

/** Loaded with the first passkey: it brings certificate parsers that most installations never need. */
const library = () => import('@simplewebauthn/server');
const decoders = () => import('@simplewebauthn/server/helpers');

const algorithms = { EdDSA: -8, ES256: -7, RS256: -257 };
const transports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

type Owner = { id: number; email: string; name: string | null; createdAt: string };
type Descriptor = { credentialId: string; transports: string[] };

/**
 * The account as authenticators know it. It says nothing about the person, stays the same, and differs between
 * installations that have had the same address.
 */
export const userHandleOf = ({ id, createdAt }: Pick<Owner, 'id' | 'createdAt'>): string =>
  createHash('sha256').update(`passkeys of ${id} since ${createdAt}`).digest('base64url');

const describe = (passkey: Descriptor) => ({
  id: passkey.credentialId,
  type: 'public-key' as const,
  transports: transports.filter((transport) => passkey.transports.includes(transport)),
});

/** This installation towards authenticators. Passkeys belong to the host of PUBLIC_URL. */
export function relyingParty(publicUrl: URL) {
  const rpId = publicUrl.hostname;
  const expected = {
    expectedOrigin: publicUrl.origin,
    expectedRPID: rpId,
    requireUserVerification: true,
  };
  return {
    creationOptions: (owner: Owner, challenge: string, passkeys: Descriptor[]): CreationOptions => ({
      challenge,
      rp: { id: rpId, name: 'Roster' },
      user: { id: userHandleOf(owner), name: owner.email, displayName: owner.name ?? owner.email },
      pubKeyCredParams: Object.values(algorithms).map((alg) => ({ type: 'public-key', alg })),
      timeout: challengeMs,
      excludeCredentials: passkeys.map(describe),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    }),
    requestOptions: (challenge: string, passkeys: Descriptor[]): RequestOptions => ({
      challenge,
      rpId,
      timeout: challengeMs,
      userVerification: 'required',
      allowCredentials: passkeys.map(describe),
    }),
    /** @throws the reason why the credential is not valid */
    verifyNew: (credential: NewCredential, challenge: string) =>
      verifyNew({ ...expected, expectedChallenge: challenge }, credential),
    /** Does not look at the counter, which is compared when it is stored. @throws the reason why it is not valid */
    verifyAssertion: (credential: Assertion, challenge: string, passkey: StoredPasskey) =>
      verifyAssertion({ ...expected, expectedChallenge: challenge }, credential, passkey),
  };
}

export type RelyingParty = ReturnType<typeof relyingParty>;

type ExpectedCeremony = {
  expectedOrigin: string;
  expectedRPID: string;
  expectedChallenge: string;
  requireUserVerification: boolean;
};

async function verifyNew(expected: ExpectedCeremony, credential: NewCredential): Promise<Omit<NewPasskey, 'name'>> {
  await refuseCertificates(credential);
  const { verifyRegistrationResponse } = await library();
  const { id, rawId, type, response } = credential;
  const { clientDataJSON, attestationObject } = response;
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    ...expected,
    response: { id, rawId, type, response: { clientDataJSON, attestationObject }, clientExtensionResults: {} },
    supportedAlgorithmIDs: Object.values(algorithms),
  });
  if (!verified) throw new Error('the attestation is not valid');
  const { credential: made, credentialDeviceType, credentialBackedUp } = registrationInfo;
  if (made.id !== id) throw new Error('the credential has another id');
  return {
    credentialId: made.id,
    publicKey: Buffer.from(made.publicKey).toString('base64url'),
    counter: made.counter,
    transports: (response.transports ?? []).filter((transport) => transports.some((allowed) => allowed === transport)),
    deviceType: credentialDeviceType,
    backedUp: credentialBackedUp,
  };
}

async function verifyAssertion(
  expected: ExpectedCeremony,
  credential: Assertion,
  passkey: StoredPasskey,
): Promise<Use> {
  const { verifyAuthenticationResponse } = await library();
  const { id, rawId, type, response } = credential;
  const { clientDataJSON, authenticatorData, signature } = response;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    ...expected,
    response: {
      id,
      rawId,
      type,
      response: { clientDataJSON, authenticatorData, signature },
      clientExtensionResults: {},
    },
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
      counter: 0,
    },
  });
  if (!verified) throw new Error('the signature is not valid');
  const { newCounter, credentialDeviceType, credentialBackedUp } = authenticationInfo;
  return { counter: newCounter, deviceType: credentialDeviceType, backedUp: credentialBackedUp };
}

/** None was asked for. Verifying a certificate could make calls to addresses that it names. */
async function refuseCertificates({ response }: NewCredential) {
  const { decodeAttestationObject, isoBase64URL } = await decoders();
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const format = attestation.get('fmt');
  const isOwn = format === 'packed' && attestation.get('attStmt').get('x5c') === undefined;
  if (format !== 'none' && !isOwn) throw new Error(`attestation in the format ${String(format).slice(0, 20)}`);
}
