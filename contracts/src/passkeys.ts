import { z } from 'zod';
import { User } from './auth.ts';
import { endpoint, NoContent, PathId, Time } from './endpoint.ts';
import { nameText } from './text/text.ts';

export const Passkey = z.object({
  id: z.number().int(),
  name: z.string(),
  createdAt: Time,
  lastUsedAt: Time.nullable(),
  /** Kept by a password manager on several devices; false: only on the device that made it. */
  synced: z.boolean(),
});
export type Passkey = z.output<typeof Passkey>;

export const PasskeyName = nameText(60, 'The name cannot exceed 60 characters', 'Enter a name');

const encoded = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[A-Za-z0-9_-]*$/);
const CredentialId = encoded(1400).min(1);
const ClientData = encoded(8000).min(1);

/** The result of `navigator.credentials.create`, in the form that WebAuthn defines for JSON. */
export const NewCredential = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: ClientData,
    attestationObject: encoded(32_000).min(1),
    transports: z.array(z.string().max(40)).max(20).optional(),
  }),
});
export type NewCredential = z.output<typeof NewCredential>;

/** The result of `navigator.credentials.get`. */
export const Assertion = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: ClientData,
    authenticatorData: encoded(8000).min(1),
    signature: encoded(8000).min(1),
    userHandle: encoded(200).nullish(),
  }),
});
export type Assertion = z.output<typeof Assertion>;

const Descriptor = z.object({
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(z.enum(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'])),
});

/** For `navigator.credentials.create`. */
export const CreationOptions = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number().int() })),
  timeout: z.number().int(),
  excludeCredentials: z.array(Descriptor),
  authenticatorSelection: z.object({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
});
export type CreationOptions = z.output<typeof CreationOptions>;

/** For `navigator.credentials.get`. */
export const RequestOptions = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.number().int(),
  userVerification: z.literal('required'),
  /** Empty: the browser offers all passkeys of this site. */
  allowCredentials: z.array(Descriptor),
});
export type RequestOptions = z.output<typeof RequestOptions>;

const list = '/api/user/passkeys';
const signIn = '/api/login/passkey';
const confirmation = '/api/user/confirm/passkey';
const secondStep = '/api/login/second-factor/passkey';

export const passkeys = {
  list: endpoint({
    method: 'GET',
    path: list,
    access: 'user',
    beforeSetup: true,
    summary: 'Lists the passkeys of the account, oldest first.',
    output: z.object({
      passkeys: z.array(Passkey),
      /** A name for a passkey of this browser. */
      proposedName: z.string(),
    }),
  }),
  addOptions: endpoint({
    method: 'POST',
    path: `${list}/options`,
    access: 'user',
    beforeSetup: true,
    fresh: true,
    summary: 'Starts adding a passkey: options for the browser. Valid for five minutes, once.',
    output: CreationOptions,
  }),
  add: endpoint({
    method: 'POST',
    path: list,
    access: 'user',
    beforeSetup: true,
    summary: 'Adds a passkey, and makes recovery codes if it is the first second factor.',
    body: z.strictObject({ name: PasskeyName, credential: NewCredential }),
    output: z.object({
      passkey: Passkey,
      /** Shown once; null: those that the account has stay valid. */
      recoveryCodes: z.array(z.string()).nullable(),
    }),
    status: 201,
  }),
  rename: endpoint({
    method: 'PATCH',
    path: `${list}/:id`,
    access: 'user',
    summary: 'Renames a passkey.',
    params: z.strictObject({ id: PathId }),
    body: z.strictObject({ name: PasskeyName }),
    output: Passkey,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: `${list}/:id`,
    access: 'user',
    fresh: true,
    summary: 'Removes a passkey. The only way into the account cannot be removed.',
    params: z.strictObject({ id: PathId }),
    output: NoContent,
    status: 204,
  }),
  signInOptions: endpoint({
    method: 'POST',
    path: `${signIn}/options`,
    access: 'public',
    summary: 'Starts a sign-in with a passkey: options for the browser. Valid for five minutes, once.',
    output: RequestOptions,
  }),
  signIn: endpoint({
    method: 'POST',
    path: signIn,
    access: 'public',
    rate: 'signIn',
    summary: 'Signs in with a passkey. It counts as both steps.',
    body: z.strictObject({ credential: Assertion }),
    output: User,
  }),
  secondStepOptions: endpoint({
    method: 'POST',
    path: `${secondStep}/options`,
    access: 'public',
    rate: 'signIn',
    summary: 'Starts the second step of a sign-in with a passkey of the account.',
    output: RequestOptions,
  }),
  secondStep: endpoint({
    method: 'POST',
    path: secondStep,
    access: 'public',
    rate: 'signIn',
    summary: 'Completes a sign-in with a passkey of the account.',
    body: z.strictObject({
      credential: Assertion,
      /** Asks for no second step in this browser for 30 days, until it is signed out. */
      remember: z.boolean().default(false),
    }),
    output: z.object({ user: User, returnPath: z.string() }),
  }),
  confirmOptions: endpoint({
    method: 'POST',
    path: `${confirmation}/options`,
    access: 'user',
    beforeSetup: true,
    summary: 'Starts confirming the identity of the signed-in user with a passkey.',
    output: RequestOptions,
  }),
  confirm: endpoint({
    method: 'POST',
    path: confirmation,
    access: 'user',
    beforeSetup: true,
    rate: 'signIn',
    summary: 'Confirms the identity of the signed-in user with a passkey; sensitive calls work for ten minutes.',
    body: z.strictObject({ credential: Assertion }),
    output: NoContent,
    status: 204,
  }),
};
