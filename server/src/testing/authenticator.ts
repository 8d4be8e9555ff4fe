import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { Assertion, CreationOptions, NewCredential, RequestOptions } from '@roster/contracts/passkeys';

type HeldCredential = { id: Buffer; userHandle: string; privateKey: KeyObject; counter: number };

/** How a response differs from what an honest browser and authenticator would send. */
type Lie = {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  userHandle?: string | null;
  isUserVerified?: boolean;
  /** The passkey that it claims to be of. */
  id?: string;
  /** As a copy that was used less often would send it. */
  counter?: number;
  attestation?: [format: string, statement: Map<string, Cbor>];
};

type Settings = { origin: string; synced?: boolean };

/** A browser with an authenticator that makes real ES256 passkeys. A synced one never counts, like those of phones. */
export function createAuthenticator({ origin, synced = false }: Settings) {
  const held: HeldCredential[] = [];

  function clientData(type: string, challenge: string, lie: Lie): Buffer {
    const data = { type: lie.type ?? type, challenge: lie.challenge ?? challenge, origin: lie.origin ?? origin };
    return Buffer.from(JSON.stringify({ ...data, crossOrigin: false }));
  }

  function authenticatorData(rpId: string, counter: number, lie: Lie, attested = Buffer.alloc(0)): Buffer {
    const verified = lie.isUserVerified === false ? 0 : 0x04;
    const flags = 0x01 | verified | (synced ? 0x18 : 0) | (attested.length > 0 ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(lie.counter ?? counter);
    return Buffer.concat([sha256(lie.rpId ?? rpId), Buffer.from([flags]), count, attested]);
  }

  return {
    create(options: CreationOptions, lie: Lie = {}): NewCredential {
      const id = randomBytes(32);
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      held.push({ id, privateKey, userHandle: options.user.id, counter: 0 });
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)]);
      const data = authenticatorData(options.rp.id, 0, lie, attested);
      const [format, statement] = lie.attestation ?? ['none', new Map<string, Cbor>()];
      const attestation = new Map<string, Cbor>([
        ['fmt', format],
        ['attStmt', statement],
        ['authData', data],
      ]);
      const encodedId = id.toString('base64url');
      return {
        id: encodedId,
        rawId: encodedId,
        type: 'public-key',
        response: {
          clientDataJSON: clientData('webauthn.create', options.challenge, lie).toString('base64url'),
          attestationObject: cbor(attestation).toString('base64url'),
          transports: synced ? ['hybrid', 'internal'] : ['usb'],
        },
      };
    },
    /** Uses the newest passkey that the options allow. */
    get(options: RequestOptions, lie: Lie = {}): Assertion {
      const allowed = new Set(options.allowCredentials.map(({ id }) => id));
      const key = held.findLast(({ id }) => allowed.size === 0 || allowed.has(id.toString('base64url')));
      if (!key) throw new Error('the authenticator has no such passkey');
      if (!synced) key.counter++;
      const data = authenticatorData(options.rpId, key.counter, lie);
      const client = clientData('webauthn.get', options.challenge, lie);
      const id = lie.id ?? key.id.toString('base64url');
      return {
        id,
        rawId: id,
        type: 'public-key',
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', Buffer.concat([data, sha256(client)]), key.privateKey).toString('base64url'),
          userHandle: lie.userHandle === undefined ? key.userHandle : lie.userHandle,
        },
      };
    },
  };
}

export type Authenticator = ReturnType<typeof createAuthenticator>;

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

/** The public key as COSE: EC2, ES256, P-256, x, y. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = (part: string) => Buffer.from(part, 'base64url');
  return cbor(
    new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, point(x)],
      [-3, point(y)],
    ]),
  );
}

type Cbor = number | string | Buffer | Cbor[] | Map<string, Cbor> | Map<number, Cbor>;

function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const entries = [...value].flatMap(([key, entry]) => [cbor(key), cbor(entry)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size]);
  if (size < 256) return Buffer.from([(major << 5) | 24, size]);
  return Buffer.from([(major << 5) | 25, size >> 8, size & 0xff]);
}
