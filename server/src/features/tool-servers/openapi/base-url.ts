import { isObject } from '#server/lib/is-object';
import { UnreadableDocumentError } from './document.ts';

type Json = Record<string, unknown>;
type BaseUrlInput = { descriptionUrl: string | null; baseUrl: string | null };

const addressLimit = 2_000;
const wrong = (message: string) => new UnreadableDocumentError(message, { about: 'baseUrl' });

/** Address of an entry of `servers`, with the defaults of its variables; null if there is none. */
function serverAddress(server: unknown): string | null {
  if (!isObject(server) || typeof server.url !== 'string' || server.url.length > addressLimit) return null;
  const { url, variables } = server;
  return url.replace(/\{([^{}]*)\}/g, (_place, name: string) => {
    const variable = isObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isObject(variable) && typeof variable.default === 'string' ? variable.default.slice(0, 200) : '';
  });
}

/** Address of the first server that a document, path or operation names; null if it names none. */
function firstAddress({ servers }: Json, descriptionUrl: string | null): URL | null {
  const address = Array.isArray(servers) ? serverAddress(servers[0]) : null;
  if (address !== null) return URL.parse(address, descriptionUrl ?? undefined);
  // OpenAPI's rule for a description without servers.
  return descriptionUrl === null ? null : URL.parse('/', descriptionUrl);
}

/** Base URL of the operations: the user's, or that of the description. @throws Unreadable */
export function findBaseUrl(document: Json, { descriptionUrl, baseUrl }: BaseUrlInput): string {
  const url = baseUrl === null ? firstAddress(document, descriptionUrl) : URL.parse(baseUrl);
  if (!url) throw wrong('The description contains no base URL. Enter the base URL.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw wrong('The base URL in the description does not begin with https://. Enter the base URL.');
  if (url.username || url.password || url.search || url.hash || url.href.length > addressLimit)
    throw wrong('A base URL cannot contain a user name, a password, or anything after ? or #.');
  return url.href;
}

type Source = { item: Json; operation: Json };

/** True if it is called elsewhere than the others, unless the user wants one address for all. */
export function hasOwnBaseUrl({ item, operation }: Source, { descriptionUrl, baseUrl }: BaseUrlInput, url: string) {
  const own = [operation, item].find(({ servers }) => Array.isArray(servers) && servers.length > 0);
  if (!own || baseUrl !== null) return false;
  return firstAddress(own, descriptionUrl)?.href !== url;
}
