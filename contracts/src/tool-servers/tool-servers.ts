import { z } from 'zod';
import { endpoint, Id, NoContent, PathId, Time } from '../endpoint.ts';
import { headerNamePattern, printableAscii, requestHeaders } from '../http-headers.ts';
import { nameText, requiredText } from '../text/text.ts';
import { ToolApproval, ToolChoices } from './tool-choice.ts';

export const toolServerLimit = 20;

/**
 * `mcp`: a server of the Model Context Protocol. `openapi`: a service with an OpenAPI description. `command`: a process
 * on Roster’s machine, started by a command that the operator has listed.
 */
const ToolServerKind = z.enum(['mcp', 'openapi', 'command']);

const HttpUrl = z.url({ protocol: /^https?$/ });
const urlMessage = 'Enter an address that begins with https://';
/** The target is checked on connection. Plain http is for servers on Roster’s own machine. */
export const ServerUrl = requiredText(2_000, 'The address cannot exceed 2,000 characters', 'The address is required')
  .trim()
  .refine((text) => HttpUrl.safeParse(text).success, urlMessage)
  .refine(
    (text) => !/^https?:[/\\]*[^/\\?#]*@/i.test(text),
    'Leave user name and password out of the address; use a header instead',
  )
  .refine((text) => !text.includes('#'), 'Leave out what follows the # in the address');

const reservedHeaders = new Set<string>([...requestHeaders, 'last-event-id', 'mcp-protocol-version', 'mcp-session-id']);
export const HeaderName = requiredText(
  100,
  'The name of the header cannot exceed 100 characters',
  'The name of the header is required',
)
  .trim()
  .refine((name) => headerNamePattern.test(name), 'A header’s name has letters, digits and hyphens')
  .refine((name) => !reservedHeaders.has(name.toLowerCase()), 'Roster sets this header itself');
export const SecretValue = requiredText(4_000, 'The value cannot exceed 4,000 characters', 'The value is required')
  .trim()
  .refine((value) => printableAscii.test(value), 'The value contains characters that a header cannot contain');

/** For servers where Roster was registered by hand; most servers register it automatically. */
const AppId = requiredText(500, 'The client ID cannot exceed 500 characters', 'The client ID is required')
  .trim()
  .refine((id) => printableAscii.test(id), 'The client ID contains invalid characters');
const AppSecret = requiredText(
  4_000,
  'The client secret cannot exceed 4,000 characters',
  'The client secret is required',
)
  .trim()
  .refine((secret) => printableAscii.test(secret), 'The client secret contains invalid characters');

/** `value` or `clientSecret` left out: the stored one stays. */
const Auth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('header'), name: HeaderName, value: SecretValue.optional() }),
  /** Every user signs in at the server. `clientId`: Roster’s id there; null: it registers itself. */
  z.strictObject({
    type: z.literal('oauth'),
    clientId: AppId.nullable().default(null),
    clientSecret: AppSecret.optional(),
  }),
]);
export type ToolServerAuth = z.output<typeof Auth>;

export const ServerName = nameText(60, 'The name cannot exceed 60 characters', 'Name is required');

export const NewToolServer = z.strictObject({
  name: ServerName,
  kind: ToolServerKind.extract(['mcp']).default('mcp'),
  url: ServerUrl,
  auth: Auth.default({ type: 'none' }),
  /** Lets everybody use its tools; for administrators only. */
  isOffered: z.boolean().default(false),
});
/** By its name in the operator’s list; users cannot enter commands. */
export const NewToolCommand = z.strictObject({
  name: ServerName,
  command: requiredText(40, 'There is no such command', 'Choose a command'),
  isOffered: z.boolean().default(false),
});
export const ToolServerChanges = z
  .strictObject({ name: ServerName, url: ServerUrl, auth: Auth, isOffered: z.boolean(), isOn: z.boolean() })
  .partial();
export type ToolServerChanges = z.output<typeof ToolServerChanges>;

/** `waiting`: Roster is about to query it, or is querying it. `sign_in`: its owner has to sign in to it first. */
export const ToolServerState = z.enum(['waiting', 'ready', 'failed', 'sign_in']);

/** `needed`: the user has not signed in at the server yet. `done`: signed in. `again`: no longer signed in. */
export const ServerSignIn = z.enum(['needed', 'done', 'again']);

export const ToolServer = z.object({
  id: Id,
  name: z.string(),
  kind: ToolServerKind,
  /**
   * The URL of its tools. For another user’s server only scheme, host and port; for a command, `command:` and its name.
   */
  url: z.string(),
  /** For an own server of the kind `openapi`. */
  openApi: z
    .object({
      /** The URL of the description; null: its text was pasted. */
      descriptionUrl: z.string().nullable(),
      /** The URL that the owner set instead of the one in the description. */
      baseUrl: z.string().nullable(),
    })
    .nullable(),
  /** true: the user’s own. Others can use it because an administrator offers it. */
  isOwn: z.boolean(),
  isOffered: z.boolean(),
  /** false: its tools are not offered to any model. */
  isOn: z.boolean(),
  auth: z.object({
    type: z.enum(['none', 'header', 'query', 'oauth']),
    /** The name of an own server’s header or query parameter; for a sign-in, the client ID that was entered. */
    name: z.string().nullable(),
    last4: z.string().nullable(),
  }),
  /** The current user’s sign-in, and why the last attempt failed; null: no sign-in is needed. */
  signIn: z.object({ state: ServerSignIn, notice: z.string().nullable() }).nullable(),
  state: ToolServerState,
  /** Notice about the last query: why it failed, or what was left out. */
  notice: z.string().nullable(),
  lookedAt: Time.nullable(),
  tools: z.number().int(),
  createdAt: Time,
});
export type ToolServer = z.output<typeof ToolServer>;

/** The path to which the browser returns from a sign-in at a tool server. */
export const toolSignInCallback = '/tool-servers/oauth/callback';

/** Why a sign-in at a tool server failed, as in the URL to which the browser returns. */
const toolSignInFailures = ['expired', 'cancelled', 'failed', 'changed', 'too_many'] as const;
export type ToolSignInFailure = (typeof toolSignInFailures)[number];

export const Tool = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  /** A JSON schema, as the server gave it. */
  inputSchema: z.record(z.string(), z.unknown()),
  /** As stated by the server. */
  isReadOnly: z.boolean(),
  /** Changes with the description, the schema and the read-only flag. */
  digest: z.string(),
});
export type Tool = z.output<typeof Tool>;

export const ToolServerTools = z.object({
  tools: z.array(Tool),
  /** Tools, or operations of an OpenAPI description, that are not offered; the first 100. */
  leftOut: z.array(z.object({ operation: z.string(), reason: z.string() })),
  leftOutCount: z.number().int(),
  /** The user’s assistants that use one of its tools, at most 20 by name. */
  usedBy: z.array(z.object({ id: Id, name: z.string() })),
  usedByCount: z.number().int(),
  /** Other users who use one of its tools; 0 unless the current user owns it. */
  otherPeople: z.number().int(),
});
export type ToolServerTools = z.output<typeof ToolServerTools>;

/**
 * `changed`: it differs from when it was chosen. `gone`: its server no longer has it. `off`: its server is switched off
 * or withdrawn.
 */
const ChosenToolState = z.enum(['ready', 'changed', 'gone', 'off']);
export const ChosenTool = z.object({
  serverId: Id,
  serverName: z.string(),
  name: z.string(),
  title: z.string(),
  approval: ToolApproval,
  /** The digest when it was chosen. */
  digest: z.string(),
  state: ChosenToolState,
});
export type ChosenTool = z.output<typeof ChosenTool>;

/** The default: tools that may change something ask every time. */
export const defaultApproval = ({ isReadOnly }: Pick<Tool, 'isReadOnly'>): ToolApproval =>
  isReadOnly ? 'never' : 'always';

const byId = z.strictObject({ id: PathId });

export const toolServers = {
  list: endpoint({
    method: 'GET',
    path: '/api/tool-servers',
    access: 'user',
    summary:
      'Lists your tool servers and those that administrators share with everyone, newest first. Never returns their secrets.',
    output: z.array(ToolServer),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/tool-servers',
    access: 'editor',
    rate: 'keyUse',
    summary: 'Adds a tool server. It is stored at once, and its tools are listed afterwards.',
    body: NewToolServer,
    output: ToolServer,
    status: 201,
  }),
  commands: endpoint({
    method: 'GET',
    path: '/api/tool-servers/commands',
    access: 'admin',
    summary: 'Lists the commands that the operator allows as tool servers.',
    output: z.array(z.string()),
  }),
  addCommand: endpoint({
    method: 'POST',
    path: '/api/tool-servers/commands',
    access: 'admin',
    rate: 'keyUse',
    summary: 'Adds a tool server that runs on Roster’s machine, started by a command that the operator allows.',
    body: NewToolCommand,
    output: ToolServer,
    status: 201,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/api/tool-servers/:id',
    access: 'editor',
    rate: 'keyUse',
    summary: 'Changes your tool server. If its URL or header changes, its tools are listed again.',
    params: byId,
    body: ToolServerChanges,
    output: ToolServer,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/tool-servers/:id',
    access: 'editor',
    summary: 'Removes your tool server. Assistants lose its tools.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  tools: endpoint({
    method: 'GET',
    path: '/api/tool-servers/:id/tools',
    access: 'user',
    summary: 'Lists the tools of a server as of the last refresh, and who uses them.',
    params: byId,
    output: ToolServerTools,
  }),
  refresh: endpoint({
    method: 'POST',
    path: '/api/tool-servers/:id/refresh',
    access: 'editor',
    rate: 'keyUse',
    summary: 'Refreshes the tools of your tool server.',
    params: byId,
    output: ToolServer,
    status: 202,
  }),
  signIn: endpoint({
    method: 'POST',
    path: '/api/tool-servers/:id/sign-in',
    access: 'editor',
    rate: 'keyUse',
    summary: 'Starts a sign-in at a tool server, and returns the URL to open. It works once, for ten minutes.',
    params: byId,
    output: z.object({ address: z.url({ protocol: /^https?$/ }) }),
  }),
  signOut: endpoint({
    method: 'DELETE',
    path: '/api/tool-servers/:id/sign-in',
    access: 'editor',
    summary: 'Signs you out of a tool server.',
    params: byId,
    output: NoContent,
    status: 204,
  }),
  chosen: endpoint({
    method: 'GET',
    path: '/api/assistants/:id/tools',
    access: 'user',
    summary: 'Lists the tools that an assistant may use, in the order they were selected.',
    params: byId,
    output: z.array(ChosenTool),
  }),
  choose: endpoint({
    method: 'POST',
    path: '/api/assistants/:id/tools',
    access: 'editor',
    summary: 'Sets the tools that an assistant may use, and when each needs approval.',
    params: byId,
    body: z.strictObject({
      tools: ToolChoices,
    }),
    output: z.array(ChosenTool),
  }),
};
