import type { ConnectionApi, KeyHeader, PresetId } from '@roster/contracts/connections/connections';
import type { ConnectionHeader } from '@roster/contracts/connections/headers';
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
 * A connection's key and headers together with the only client that may send them: code that holds the key cannot send
 * it to another address. Empty if the provider needs no key.
 */
export class ConnectionKey extends Secret {
  readonly connection: ConnectionTarget;
  readonly provider: Provider;
  readonly #headers: readonly ConnectionHeader[];
  constructor(
    key: string,
    connection: ConnectionTarget,
    provider: Provider,
    headers: readonly ConnectionHeader[] = [],
  ) {
    super(key);
    this.connection = connection;
    this.provider = provider;
    this.#headers = headers;
  }
  /** In lower case, so that a header is never sent twice. */
  headers(): Record<string, string> {
    return Object.fromEntries(this.#headers.map(({ name, value }) => [name.toLowerCase(), value]));
  }
  override parts(): readonly string[] {
    // A scheme such as Bearer is often left out where a secret is repeated.
    const values = this.#headers.flatMap(({ value }) => [value, value.replace(/^[A-Za-z]+ +(?=\S+$)/, '')]);
    return [...new Set([this.reveal(), ...values])];
  }
}
