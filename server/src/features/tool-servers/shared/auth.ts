import type { ToolServerAuth } from '@roster/contracts/tool-servers/tool-servers';
import { AppError } from '#server/lib/errors';
import type { ServerSecrets } from './headers.ts';
import type { StoredAuth, StoredServer } from './repository.ts';

export const refusedField = (field: string, message: string) =>
  new AppError('invalid_input', message, { fields: { [field]: message } });

/** Stored authentication of a new server. */
export async function newAuth(
  headers: ServerSecrets,
  userId: number,
  url: string,
  auth: ToolServerAuth,
): Promise<StoredAuth> {
  if (auth.type === 'none') return auth;
  if (auth.type === 'header') {
    if (auth.value === undefined) throw refusedField('auth.value', 'The value is required');
    return headers.seal(userId, url, 'header', auth.name, auth.value);
  }
  const { clientId, clientSecret } = auth;
  if (clientSecret === undefined) return { type: 'oauth', name: clientId, sealed: null, last4: null };
  if (clientId === null) throw refusedField('auth.clientId', 'Enter the client ID that the secret belongs to');
  return headers.seal(userId, url, 'oauth', clientId, clientSecret);
}

/** The stored authentication as a user would enter it, without its secret. */
const unchanged = ({ auth_type: type, auth_name: name }: StoredServer): ToolServerAuth => {
  if (type === 'header') return { type, name: name ?? '' };
  return type === 'oauth' ? { type, clientId: name } : { type: 'none' };
};

const secretOf = (auth: ToolServerAuth) =>
  auth.type === 'header' ? auth.value : auth.type === 'oauth' ? auth.clientSecret : undefined;

/**
 * Authentication to store after a change; undefined keeps what is stored. A secret is only sent to the origin it was
 * given for.
 */
export async function changedAuth(
  headers: ServerSecrets,
  before: StoredServer,
  url: string,
  auth: ToolServerAuth | undefined,
): Promise<StoredAuth | undefined> {
  // For OpenAPI servers it changes together with the description, elsewhere.
  if (!auth && before.kind === 'openapi') return undefined;
  const wanted = auth ?? unchanged(before);
  const isOtherClient = wanted.type === 'oauth' && wanted.clientId !== before.auth_name;
  if (secretOf(wanted) !== undefined || wanted.type !== before.auth_type || isOtherClient)
    return newAuth(headers, before.user_id, url, wanted);
  const { auth_sealed: sealed, auth_last4: last4 } = before;
  if (sealed !== null && new URL(url).origin !== new URL(before.url).origin) {
    const [field, what] = wanted.type === 'oauth' ? ['clientSecret', 'secret'] : ['value', 'value'];
    throw refusedField(`auth.${field}`, `Enter the ${what} again: it was given for another address`);
  }
  const isRenamed = wanted.type === 'header' && wanted.name !== before.auth_name;
  return isRenamed ? { type: 'header', name: wanted.name, sealed: sealed ?? '', last4: last4 ?? '' } : undefined;
}
