import type { ConnectionApi, KeyHeader, PresetId } from '@roster/contracts/connections/connections';
import type { Provider } from '#server/provider/provider';
import { Secret } from '#server/security/secret';

/** The address and the form of a connection's requests. */
export type ConnectionTarget = {
  id: number;
  name: string;
  preset: PresetId;
  baseUrl: string;
  keyHeader: KeyHeader;
  api: ConnectionApi;
  /** null: as the installation. */
  firstTokenSeconds: number | null;
};

/**
 * A connection's key together with the only client that may send it: code that holds the key cannot send it to
 * another address. Empty if the provider needs no key.
 */
export class ConnectionKey extends Secret {
  readonly connection: ConnectionTarget;
  readonly provider: Provider;
  constructor(key: string, connection: ConnectionTarget, provider: Provider) {
    super(key);
    this.connection = connection;
    this.provider = provider;
  }
}
