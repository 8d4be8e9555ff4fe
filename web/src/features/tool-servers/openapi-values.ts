import { NewOpenApiServer, type OpenApiServerChanges } from '@roster/contracts/tool-servers/openapi-servers';
import type { ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import type { z } from 'zod';

/** Values of the form for a server with an OpenAPI description. */
export type Values = {
  name: string;
  source: 'pasted' | 'address';
  text: string;
  descriptionUrl: string;
  baseUrl: string;
  authType: 'none' | 'header' | 'query';
  authName: string;
  authValue: string;
  isOffered: boolean;
};

export const usualAuthName = { none: '', header: 'Authorization', query: 'api_key' };

export function valuesOf(server: ToolServer | undefined, text: string): Values {
  const openApi = server?.openApi;
  const authType = server === undefined || server.auth.type === 'oauth' ? 'none' : server.auth.type;
  return {
    name: server?.name ?? '',
    source: openApi?.descriptionUrl ? 'address' : 'pasted',
    text,
    descriptionUrl: openApi?.descriptionUrl ?? '',
    baseUrl: openApi?.baseUrl ?? '',
    authType,
    authName: server?.auth.name ?? usualAuthName[authType],
    authValue: '',
    isOffered: server?.isOffered ?? false,
  };
}

export const draftOf = (values: Values): z.input<typeof NewOpenApiServer> => ({
  name: values.name,
  description:
    values.source === 'pasted'
      ? { type: 'pasted', text: values.text }
      : { type: 'address', url: values.descriptionUrl },
  baseUrl: values.baseUrl.trim() === '' ? null : values.baseUrl,
  auth:
    values.authType === 'none'
      ? { type: 'none' }
      : {
          type: values.authType,
          name: values.authName,
          ...(values.authValue !== '' && { value: values.authValue }),
        },
  isOffered: values.isOffered,
});

/** Only changed fields: a stored description may be a megabyte. */
export function changesOf(values: Values, before: Values): OpenApiServerChanges {
  const { name, description, baseUrl = null, auth, isOffered } = NewOpenApiServer.parse(draftOf(values));
  const differs = (...keys: (keyof Values)[]) => keys.some((key) => values[key] !== before[key]);
  return {
    name,
    isOffered,
    ...(differs('source', 'text', 'descriptionUrl') && { description }),
    ...(differs('baseUrl') && { baseUrl }),
    ...(differs('authType', 'authName', 'authValue') && { auth }),
  };
}

/** Maps a field path of the contract to a form field. */
export const fieldOf = (path: string): keyof Values | undefined =>
  new Map<string, keyof Values>([
    ['name', 'name'],
    ['description.text', 'text'],
    ['description.url', 'descriptionUrl'],
    ['baseUrl', 'baseUrl'],
    ['auth.name', 'authName'],
    ['auth.value', 'authValue'],
  ]).get(path);

export function problemsOf(values: Values, server: ToolServer | undefined) {
  const found: Partial<Record<keyof Values, string>> = {};
  const { error } = NewOpenApiServer.safeParse(draftOf(values));
  for (const { path, message } of error?.issues ?? []) {
    const field = fieldOf(path.join('.'));
    if (field) found[field] ??= message;
  }
  const hasValue = values.authValue !== '' || (server !== undefined && server.auth.type !== 'none');
  if (values.authType !== 'none' && !hasValue) found.authValue ??= 'The value is required';
  return found;
}
