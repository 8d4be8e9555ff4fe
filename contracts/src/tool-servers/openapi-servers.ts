import { z } from 'zod';
import { endpoint, PathId } from '../endpoint.ts';
import { requiredText } from '../text/text.ts';
import { HeaderName, SecretValue, ServerName, ServerUrl, ToolServer } from './tool-servers.ts';

/** Characters of an OpenAPI description. */
const descriptionLimit = 20 * 1024 * 1024;

const QueryName = requiredText(100, 'The name cannot exceed 100 characters', 'The name is required')
  .trim()
  .refine((name) => /^[A-Za-z0-9._~[\]$-]+$/.test(name), 'A name in the query has letters, digits, hyphens and dots');

/** `value` left out: the stored one stays. */
const Auth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('header'), name: HeaderName, value: SecretValue.optional() }),
  z.strictObject({ type: z.literal('query'), name: QueryName, value: SecretValue.optional() }),
]);
export type OpenApiAuth = z.output<typeof Auth>;

const Description = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('pasted'),
    text: requiredText(descriptionLimit, 'The description cannot exceed 20 MB', 'Paste the description'),
  }),
  z.strictObject({ type: z.literal('address'), url: ServerUrl }),
]);

/** null: the URL in the description. */
const BaseUrl = ServerUrl.refine((url) => !url.includes('?'), 'Leave out what follows the ? in the address').nullable();
const isOffered = z.boolean();

export const NewOpenApiServer = z.strictObject({
  name: ServerName,
  description: Description,
  baseUrl: BaseUrl.default(null),
  auth: Auth.default({ type: 'none' }),
  /** Lets everybody use its tools; for administrators only. */
  isOffered: isOffered.default(false),
});
export type NewOpenApiServer = z.output<typeof NewOpenApiServer>;
export const OpenApiServerChanges = z
  .strictObject({ name: ServerName, description: Description, baseUrl: BaseUrl, auth: Auth, isOffered })
  .partial();
export type OpenApiServerChanges = z.output<typeof OpenApiServerChanges>;

/** Operations of one description that can be tools at once. */
export const operationLimit = 500;
/** Method and path, as in `GET /notes/{id}`. */
const OperationKey = requiredText(1_100, 'An operation cannot exceed 1,100 characters', 'Name the operation');

const DescribedOperation = z.object({
  operation: z.string(),
  summary: z.string(),
  tags: z.array(z.string()),
});
export type DescribedOperation = z.output<typeof DescribedOperation>;

export const Operations = z.object({
  /** null: the description has to be read again first. */
  operations: z.array(DescribedOperation).nullable(),
  /** The operations chosen as tools, including those that the description no longer has; null: the first ones. */
  chosen: z.array(z.string()).nullable(),
});
export type Operations = z.output<typeof Operations>;

const byId = z.strictObject({ id: PathId });
/** Allows for JSON escapes in the description’s text. */
const bodyLimit = 2 * descriptionLimit;

export const openApiServers = {
  create: endpoint({
    method: 'POST',
    path: '/api/tool-servers/openapi',
    access: 'editor',
    rate: 'keyUse',
    summary:
      'Adds a tool server by its OpenAPI description. A pasted description is read at once; one at a URL is fetched afterwards.',
    body: NewOpenApiServer,
    bodyLimit,
    output: ToolServer,
    status: 201,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/api/tool-servers/:id/openapi',
    access: 'editor',
    rate: 'keyUse',
    summary: 'Changes your tool server that has an OpenAPI description, and reads the description again.',
    params: byId,
    body: OpenApiServerChanges,
    bodyLimit,
    output: ToolServer,
  }),
  description: endpoint({
    method: 'GET',
    path: '/api/tool-servers/:id/openapi',
    access: 'user',
    summary: 'Returns the pasted OpenAPI description of your tool server.',
    params: byId,
    output: z.object({ text: z.string() }),
  }),
  operations: endpoint({
    method: 'GET',
    path: '/api/tool-servers/:id/operations',
    access: 'user',
    summary: 'Lists the operations of your OpenAPI description, and those selected as tools.',
    params: byId,
    output: Operations,
  }),
  chooseOperations: endpoint({
    method: 'POST',
    path: '/api/tool-servers/:id/operations',
    access: 'editor',
    rate: 'keyUse',
    summary:
      'Selects the operations of an OpenAPI description that become tools, and reads the description again; null selects the first ones.',
    params: byId,
    body: z.strictObject({
      operations: z
        .array(OperationKey)
        .min(1, 'Choose at least one operation')
        .max(operationLimit, `At most ${operationLimit} operations can be tools`)
        .refine((operations) => new Set(operations).size === operations.length, 'Name each operation once')
        .nullable(),
    }),
    bodyLimit: 1024 * 1024,
    output: ToolServer,
  }),
};
