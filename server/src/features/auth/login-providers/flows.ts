import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { LoginProvider } from '@roster/contracts/auth';
import { type FlowSecrets, LoginProviderError } from './login-provider.ts';
import type { Flow, FlowRepository } from './repository.ts';

export const flowSeconds = 10 * 60;

const random = () => randomBytes(32).toString('base64url');
const hashOf = (value: string) => createHash('sha256').update(value).digest('hex');
const notBefore = () => new Date(Date.now() - flowSeconds * 1000).toISOString();
const expired = (what: string) => new LoginProviderError('expired', what);

/**
 * Pending sign-ins at Google or GitHub. Each is bound to the browser that started it and can be used once, within ten
 * minutes.
 */
export function flowService(flows: FlowRepository) {
  return {
    /** Returns the value of the browser’s cookie and the secrets for the provider. */
    async begin(provider: LoginProvider, flow: Pick<Flow, 'returnPath' | 'connectsTo' | 'invitationHash'>) {
      const id = random();
      const secrets: FlowSecrets = { state: random(), nonce: random(), codeVerifier: random() };
      await flows.deleteUntil(notBefore());
      await flows.insert(hashOf(id), provider, { ...flow, ...secrets });
      return { id, secrets };
    },
    /**
     * @throws expired if the flow was started in another browser or with the other provider, is too old, or was used
     * already
     */
    async take(provider: LoginProvider, id: string | undefined, state: string | undefined): Promise<Flow> {
      if (!id || !/^[A-Za-z0-9_-]{43}$/.test(id)) throw expired('no cookie');
      const taken = await flows.take(hashOf(id), notBefore());
      if (!taken) throw expired('no pending flow');
      if (taken.provider !== provider) throw expired('started with the other provider');
      if (state === undefined || !isSame(state, taken.flow.state)) throw expired('state mismatch');
      return taken.flow;
    },
  };
}

export type FlowService = ReturnType<typeof flowService>;

/** Compares in constant time; hashing gives both sides the same length. */
const isSame = (a: string, b: string) => timingSafeEqual(Buffer.from(hashOf(a)), Buffer.from(hashOf(b)));
