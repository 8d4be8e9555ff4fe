import type { JsonObject } from '#server/lib/is-object';
import { listResponse, maxResults } from './list-query.ts';
import { groupSchema, userSchema } from './resources.ts';

const schemaOf = (name: string) => [`urn:ietf:params:scim:schemas:core:2.0:${name}`];

export const serviceProviderConfig = (publicUrl: URL): JsonObject => ({
  schemas: schemaOf('ServiceProviderConfig'),
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The SCIM_TOKEN of this installation.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${publicUrl.origin}/scim/v2/ServiceProviderConfig` },
});

export const resourceTypes = (publicUrl: URL): JsonObject[] =>
  [
    { name: 'User', endpoint: '/Users', schema: userSchema },
    { name: 'Group', endpoint: '/Groups', schema: groupSchema },
  ].map(({ name, endpoint, schema }) => ({
    schemas: schemaOf('ResourceType'),
    id: name,
    name,
    endpoint,
    schema,
    meta: { resourceType: 'ResourceType', location: `${publicUrl.origin}/scim/v2/ResourceTypes/${name}` },
  }));

type Attribute = JsonObject & { name: string };

const attribute = (name: string, more: JsonObject = {}): Attribute => ({
  name,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: true,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
});

const complex = (name: string, subAttributes: Attribute[], more: JsonObject = {}) =>
  attribute(name, { type: 'complex', subAttributes, ...more });

const userAttributes = [
  attribute('userName', { required: true, caseExact: false, uniqueness: 'server' }),
  attribute('externalId', { uniqueness: 'server' }),
  complex('name', [
    attribute('formatted', { mutability: 'readOnly' }),
    attribute('familyName'),
    attribute('givenName'),
  ]),
  attribute('displayName'),
  attribute('active', { type: 'boolean' }),
  complex(
    'emails',
    [
      attribute('value', { caseExact: false }),
      attribute('type', { canonicalValues: ['work'] }),
      attribute('primary', { type: 'boolean' }),
    ],
    { multiValued: true },
  ),
  complex('groups', [attribute('value'), attribute('display'), attribute('$ref', { type: 'reference' })], {
    multiValued: true,
    mutability: 'readOnly',
  }),
];

const groupAttributes = [
  attribute('displayName', { required: true, uniqueness: 'server' }),
  attribute('externalId', { uniqueness: 'server' }),
  complex(
    'members',
    [attribute('value'), attribute('display'), attribute('$ref', { type: 'reference' }), attribute('type')],
    { multiValued: true },
  ),
];

export const schemas = (publicUrl: URL): JsonObject[] =>
  [
    { id: userSchema, name: 'User', description: 'An account of Roster', attributes: userAttributes },
    { id: groupSchema, name: 'Group', description: 'A group of accounts', attributes: groupAttributes },
  ].map((schema) => ({
    schemas: schemaOf('Schema'),
    ...schema,
    meta: { resourceType: 'Schema', location: `${publicUrl.origin}/scim/v2/Schemas/${schema.id}` },
  }));

export const listed = (resources: readonly JsonObject[]) => listResponse(resources.length, 1, resources);
