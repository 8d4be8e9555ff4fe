import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { LoginProvider } from '@roster/contracts/auth';
import { type FlowSecrets, LoginProviderError } from './login-provider.ts';
import type { Flow, FlowRepository } from './repository.ts';

export const flowSeconds = 10 * 60;

const random = () => randomBytes(32).toString('base64url');
const hashOf = (value: string) => createHash('sha256').update(value).digest('hex');
const notBefore = () => new Date(Date.now() - flowSeconds * 1000).toISOString();
const expired = (what: string) => new LoginProviderError('expired', what);

/** Sign-ins at Google or GitHub that are under way: begun in one browser, taken once, within ten minutes. */
export function flowService(flows: FlowRepository) {
  return {
    /** Returns what the browser's cookie holds, and what goes to the provider. */
    async begin(provider: LoginProvider, flow: Pick<Flow, 'returnPath' | 'connectsTo'>) {
      const id = random();
      const secrets: FlowSecrets = { state: random(), nonce: random(), codeVerifier: random() };
      await flows.deleteUntil(notBefore());
      await flows.insert(hashOf(id), provider, { ...flow, ...secrets });
      return { id, secrets };
    },
    /** @throws expired where it was not begun in this browser, not now, not with this provider, or was taken already */
    async take(provider: LoginProvider, id: string | undefined, state: string | undefined): Promise<Flow> {
      if (!id || !/^[A-Za-z0-9_-]{43}$/.test(id)) throw expired('no cookie');
      const taken = await flows.take(hashOf(id), notBefore());
      if (!taken) throw expired('no flow under way');
      if (taken.provider !== provider) throw expired('begun with the other provider');
      if (state === undefined || !isSame(state, taken.flow.state)) throw expired('another state');
      return taken.flow;
    },
  };
}

export type FlowService = ReturnType<typeof flowService>;

/** In constant time: the hashes have one length. */
const isSame = (a: string, b: string) => timingSafeEqual(Buffer.from(hashOf(a)), Buffer.from(hashOf(b)));
