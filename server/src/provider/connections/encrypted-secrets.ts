import { ConnectionHeader } from '@roster/contracts/connections/headers';
import { z } from 'zod';
import { AppError } from '#server/lib/errors';
import { installationOwner } from '#server/security/encryption';
import { type UserSecret, type Vault, VaultError } from '#server/security/vault';
import type { ConnectionRow, OpenedRow } from './connection-repository.ts';

/** The encrypted text names the address that it belongs to, so that a changed row cannot send it elsewhere. */
const ofAddress = { baseUrl: z.string() };
const KeyText = z.strictObject({ ...ofAddress, key: z.string() });
const HeadersText = z.strictObject({ ...ofAddress, headers: z.array(ConnectionHeader) });

export const keyText = (baseUrl: string, key: string) =>
  JSON.stringify({ baseUrl, key } satisfies z.input<typeof KeyText>);
export const headersText = (baseUrl: string, headers: readonly ConnectionHeader[]) =>
  JSON.stringify({ baseUrl, headers: [...headers] } satisfies z.input<typeof HeadersText>);

/** The user's own, or of the installation, which nobody's account holds. */
export const purposesOf = (userId: number | null) =>
  userId === null
    ? ({ key: 'offered-connection-key', headers: 'offered-connection-headers' } as const)
    : ({ key: 'connection-key', headers: 'connection-headers' } as const);

const unreadable = ({ name, user_id }: ConnectionRow, what: 'key' | 'headers', cause?: unknown) =>
  new AppError(
    'key_unreadable',
    `The ${what} of ${name} can no longer be read. ${user_id === null ? 'An administrator has to enter' : 'Enter'} ${what === 'key' ? 'it' : 'them'} again${user_id === null ? '' : ' in Settings > API Keys'}.`,
    { cause },
  );

/** Decrypts the key and the headers of a row for a call. */
export function connectionSecrets(vault: Pick<Vault, 'openProviderKey'>) {
  function decrypt<Text extends z.ZodType<{ baseUrl: string }>>(
    row: OpenedRow,
    what: 'key' | 'headers',
    form: Text,
    encrypted: string,
  ): z.output<Text> {
    const { wrapped, user_id, base_url } = row;
    const purpose: UserSecret = purposesOf(user_id)[what];
    if (wrapped === null) throw unreadable(row, what);
    try {
      const text = vault.openProviderKey(user_id ?? installationOwner, wrapped, encrypted, purpose).reveal();
      const found = form.parse(JSON.parse(text));
      if (found.baseUrl !== base_url) throw new VaultError('The secret belongs to another address.');
      return found;
    } catch (cause) {
      if (cause instanceof VaultError) throw unreadable(row, what, cause);
      throw cause;
    }
  }

  return {
    /** Empty: none is needed. @throws key_unreadable */
    keyOf: (row: OpenedRow): string =>
      row.key_sealed === null ? '' : decrypt(row, 'key', KeyText, row.key_sealed).key,
    /** @throws key_unreadable */
    headersOf: (row: OpenedRow): ConnectionHeader[] =>
      row.headers_sealed === null ? [] : decrypt(row, 'headers', HeadersText, row.headers_sealed).headers,
  };
}
