import type { ConnectionHeader } from '@roster/contracts/connections/headers';
import { ConnectionKey, type ConnectionTarget } from '#server/provider/connections/connection-key';
import type { Provider } from '#server/provider/provider';

/** A key with its only client, and the end of that client. */
export type OpenedClient = { key: ConnectionKey; end: () => Promise<void> };

/** Opens the client of a connection, which reaches its address and no other. */
export type OpenClient = (
  target: ConnectionTarget,
  key: string,
  headers?: readonly ConnectionHeader[],
) => Promise<OpenedClient>;

/** For a key that is tried before it is stored, and for servers that are looked for. */
export const clientOpener =
  (createClient: (target: ConnectionTarget) => Promise<Provider>): OpenClient =>
  async (target, key, headers) => {
    const provider = await createClient(target);
    return { key: new ConnectionKey(key, target, provider, headers), end: () => provider.close() };
  };
