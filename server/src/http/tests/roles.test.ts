import type { Endpoint } from '@roster/contracts/endpoint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newToken } from '#server/testing/access-tokens';
import { engines, startApp, type TestApp } from '#server/testing/app';
import { setUser } from '#server/testing/database';
import type { HttpClient } from '#server/testing/http-client';
import { scimClient, scimToken } from '#server/testing/scim';

const kinds = ['anonymous', 'Inactive', 'Viewer', 'Editor', 'Admin'] as const;
type Kind = (typeof kinds)[number];

const everybody: readonly Kind[] = kinds;
const signedIn: readonly Kind[] = ['Viewer', 'Editor', 'Admin'];
const editors: readonly Kind[] = ['Editor', 'Admin'];
const administrators: readonly Kind[] = ['Admin'];

/** The roles that may make each call. Written by hand, so that a new or more open call needs a decision here. */
const mayCall: Record<string, readonly Kind[]> = {
  'GET /api/sign-in-options': everybody,
  'POST /api/register': everybody,
  'POST /api/login': everybody,
  'POST /api/login-link': everybody,
  'POST /api/logout': everybody,
  'POST /api/logout/provider': everybody,
  'GET /api/login/second-factor': everybody,
  'POST /api/login/second-factor': everybody,
  'POST /api/login/passkey/options': everybody,
  'POST /api/login/passkey': everybody,
  'POST /api/login/second-factor/passkey/options': everybody,
  'POST /api/login/second-factor/passkey': everybody,
  'POST /api/invitation': everybody,
  'POST /api/invitation/accept': everybody,
  'POST /api/invitation/provider': everybody,
  'POST /api/reset-password/request': everybody,
  'POST /api/reset-password/reset': everybody,

  'GET /api/user': signedIn,
  'DELETE /api/user': signedIn,
  'PATCH /api/user': signedIn,
  'POST /api/user/email': signedIn,
  'GET /api/user/confirm': signedIn,
  'POST /api/user/confirm': signedIn,
  'GET /api/user/notices': signedIn,
  'POST /api/user/notices/:id/dismiss': signedIn,
  'GET /api/user/sessions': signedIn,
  'DELETE /api/user/sessions': signedIn,
  'DELETE /api/user/sessions/:id': signedIn,
  'POST /api/user/password': signedIn,
  'POST /api/confirm-email/request': signedIn,
  'POST /api/confirm-email': signedIn,
  'GET /api/user/oauth-profiles': signedIn,
  'DELETE /api/user/oauth-profiles/:provider': signedIn,
  'GET /api/user/security-events': signedIn,
  'GET /api/user/second-factor': signedIn,
  'POST /api/user/second-factor/app': signedIn,
  'POST /api/user/second-factor/app/confirm': signedIn,
  'DELETE /api/user/second-factor/app': signedIn,
  'POST /api/user/second-factor/recovery-codes': signedIn,
  'GET /api/user/passkeys': signedIn,
  'POST /api/user/confirm/passkey/options': signedIn,
  'POST /api/user/confirm/passkey': signedIn,
  'POST /api/user/passkeys/options': signedIn,
  'POST /api/user/passkeys': signedIn,
  'PATCH /api/user/passkeys/:id': signedIn,
  'DELETE /api/user/passkeys/:id': signedIn,
  'GET /api/user/export': signedIn,
  'GET /api/access-tokens': signedIn,
  'POST /api/access-tokens': signedIn,
  'DELETE /api/access-tokens/:id': signedIn,
  'POST /api/access-tokens/trial': signedIn,
  'GET /api/connect/assistants': signedIn,
  'GET /api/user/config': signedIn,
  'GET /api/version': signedIn,
  'GET /api/settings/preferences': signedIn,
  'POST /api/settings/preferences': signedIn,
  'POST /api/settings/locale': signedIn,
  'POST /api/settings/apikey': signedIn,
  'DELETE /api/settings/apikey': signedIn,

  'GET /api/connections': signedIn,
  'GET /api/connection-presets': signedIn,
  'GET /api/connections/local': signedIn,
  'POST /api/connections': signedIn,
  'PATCH /api/connections/:id': signedIn,
  'POST /api/connections/:id/check': signedIn,
  'GET /api/connections/:id/uses': signedIn,
  'GET /api/connections/:id/refusals': signedIn,
  'POST /api/connections/:id/ask-again': signedIn,
  'DELETE /api/connections/:id': signedIn,
  'GET /api/admin/connections': administrators,
  'POST /api/admin/connections': administrators,
  'PATCH /api/admin/connections/:id': administrators,
  'POST /api/admin/connections/:id/check': administrators,
  'GET /api/admin/connections/:id/uses': administrators,
  'GET /api/admin/connections/:id/spending': administrators,
  'GET /api/admin/connections/:id/refusals': administrators,
  'POST /api/admin/connections/:id/ask-again': administrators,
  'DELETE /api/admin/connections/:id': administrators,

  'GET /api/models': signedIn,
  'GET /api/models/tools': signedIn,
  'GET /api/model-choices': signedIn,
  'PUT /api/model-choices': signedIn,
  'GET /api/model-life': signedIn,
  'GET /api/assistants': signedIn,
  'GET /api/assistants/export': signedIn,
  'GET /api/assistants/:id/export': signedIn,
  'POST /api/assistants': editors,
  'PATCH /api/assistants/:id': editors,
  'DELETE /api/assistants/:id': editors,
  'POST /api/assistants/:id/duplicate': editors,
  'GET /api/assistants/draft': editors,
  'POST /api/assistants/draft': editors,
  'DELETE /api/assistants/draft': editors,
  'POST /api/assistants/trials': editors,
  'PATCH /api/assistants/trials/:id': editors,
  'GET /api/assistants/:id/versions': signedIn,
  'GET /api/assistants/:id/versions/:number': signedIn,
  'POST /api/assistants/:id/versions/:number/restore': editors,
  'GET /api/assistants/move': signedIn,
  'POST /api/assistants/move': editors,
  'GET /api/assistants/:id/questions': signedIn,
  'POST /api/assistants/:id/replays': editors,
  'GET /api/assistants/moves': signedIn,
  'POST /api/assistants/move/:id/undo': editors,
  'GET /api/assistants/:id/files': signedIn,
  'POST /api/assistants/:id/files': editors,
  'DELETE /api/assistants/:id/files/:fileId': editors,
  'POST /api/assistants/:id/files/:fileId/retry': editors,
  'GET /api/assistants/:id/tools': signedIn,
  'POST /api/assistants/:id/tools': editors,
  'GET /api/tool-servers': signedIn,
  'POST /api/tool-servers': editors,
  'GET /api/tool-servers/commands': administrators,
  'POST /api/tool-servers/commands': administrators,
  'PATCH /api/tool-servers/:id': editors,
  'DELETE /api/tool-servers/:id': editors,
  'GET /api/tool-servers/:id/tools': signedIn,
  'POST /api/tool-servers/:id/refresh': editors,
  'POST /api/tool-servers/:id/sign-in': editors,
  'DELETE /api/tool-servers/:id/sign-in': editors,
  'POST /api/tool-servers/openapi': editors,
  'GET /api/tool-servers/:id/openapi': signedIn,
  'PATCH /api/tool-servers/:id/openapi': editors,
  'GET /api/tool-servers/:id/operations': signedIn,
  'POST /api/tool-servers/:id/operations': editors,
  'POST /api/settings/default-assistant': editors,
  'POST /api/assistants/fetch-from-openai': editors,
  'POST /api/assistants/import-batch-from-openai': editors,
  'POST /api/assistants/import-file': editors,

  'POST /api/imports': signedIn,
  'GET /api/imports': signedIn,
  'GET /api/imports/:id': signedIn,
  'POST /api/imports/:id/start': signedIn,
  'POST /api/imports/:id/cancel': signedIn,
  'POST /api/imports/:id/undo': signedIn,

  'GET /api/threads': signedIn,
  'POST /api/threads': signedIn,
  'GET /api/threads/:id': signedIn,
  'PATCH /api/threads/:id': signedIn,
  'DELETE /api/threads/:id': signedIn,
  'POST /api/threads/:id/keep': signedIn,
  'POST /api/threads/:id/leave': signedIn,
  'POST /api/threads/:id/reopen': signedIn,
  'POST /api/threads/bulk': signedIn,
  'GET /api/trash': signedIn,
  'GET /api/trash/:id': signedIn,
  'DELETE /api/trash': signedIn,
  'DELETE /api/trash/:id': signedIn,
  'POST /api/trash/:id/restore': signedIn,
  'GET /api/threads/:id/export': signedIn,
  'GET /api/threads/:id/find': signedIn,
  'GET /api/threads/:id/messages': signedIn,
  'POST /api/threads/:id/messages': signedIn,
  'POST /api/threads/:id/summary': signedIn,
  'PATCH /api/messages/:id/summary': signedIn,
  'DELETE /api/messages/:id/summary': signedIn,
  'GET /api/threads/:id/queue': signedIn,
  'POST /api/threads/:id/queue': signedIn,
  'PATCH /api/queued-messages/:id': signedIn,
  'DELETE /api/queued-messages/:id': signedIn,
  'POST /api/queued-messages/:id/send': signedIn,
  'GET /api/messages/:id/answers': signedIn,
  'POST /api/messages/:id/continue': signedIn,
  'POST /api/messages/:id/regenerate': signedIn,
  'POST /api/messages/:id/rating': signedIn,
  'GET /api/runs/:id/events': signedIn,
  'GET /api/runs/:id/response-schema': signedIn,
  'POST /api/runs/:id/stop': signedIn,
  // Viewers may deny; that they cannot approve is tested with the runs.
  'POST /api/runs/:id/approvals/:callId': signedIn,

  'GET /api/analytics': signedIn,
  'GET /api/analytics/requests': signedIn,
  'GET /api/analytics/assistants': signedIn,
  'GET /api/analytics/projects': signedIn,
  'GET /api/analytics/prices': signedIn,
  'POST /api/analytics/prices': signedIn,
  'DELETE /api/analytics/prices': signedIn,
  'GET /api/analytics/budgets': signedIn,
  'POST /api/analytics/budgets': signedIn,
  'DELETE /api/analytics/budgets/:id': signedIn,
  'GET /api/analytics/project-budgets': signedIn,
  'POST /api/analytics/project-budgets': signedIn,
  'DELETE /api/analytics/project-budgets/:id': signedIn,
  'GET /api/analytics/provider': signedIn,
  'GET /api/settings/admin-key': signedIn,
  'POST /api/settings/admin-key': signedIn,
  'DELETE /api/settings/admin-key': signedIn,

  'GET /api/assistants/:id/latest-questions': signedIn,
  'POST /api/assistants/:id/comparisons': editors,
  'GET /api/comparisons/:id/draft': signedIn,
  'POST /api/comparisons/:id/draft/save': editors,
  'GET /api/comparisons': signedIn,
  'GET /api/comparisons/:id': signedIn,
  'GET /api/comparisons/:id/estimate': signedIn,
  'POST /api/comparisons': editors,
  'POST /api/comparisons/:id/start': editors,
  'POST /api/comparisons/:id/stop': editors,
  'POST /api/comparisons/:id/prompts/:promptId/ask': editors,
  'POST /api/comparisons/:id/prompts/:promptId/vote': editors,
  'DELETE /api/comparisons/:id': editors,
  'GET /api/projects': signedIn,
  'GET /api/projects/:id': signedIn,
  'POST /api/projects': signedIn,
  'PATCH /api/projects/:id': signedIn,
  'DELETE /api/projects/:id': signedIn,
  'GET /api/projects/:id/threads': signedIn,
  'POST /api/projects/move': signedIn,
  'GET /api/projects/:id/files': signedIn,
  'POST /api/projects/:id/files': editors,
  'DELETE /api/projects/:id/files/:fileId': editors,
  'POST /api/projects/:id/files/:fileId/retry': editors,
  'GET /api/prompts': signedIn,
  'GET /api/prompts/:id': signedIn,
  'POST /api/prompts': signedIn,
  'PATCH /api/prompts/:id': signedIn,
  'DELETE /api/prompts/:id': signedIn,
  'POST /api/prompts/:id/used': signedIn,
  'GET /api/prompts/export': signedIn,
  'POST /api/prompts/import': signedIn,
  'GET /api/assistants/:id/test-sets': signedIn,
  'POST /api/assistants/:id/test-sets': editors,
  'GET /api/test-sets/:id': signedIn,
  'PATCH /api/test-sets/:id': editors,
  'DELETE /api/test-sets/:id': editors,
  'GET /api/test-sets/:id/runs': signedIn,
  'POST /api/test-sets/:id/runs/estimate': editors,
  'POST /api/test-sets/:id/runs': editors,
  'GET /api/test-runs/:id': signedIn,
  'GET /api/comparisons/:id/judgings': signedIn,
  'GET /api/comparisons/:id/judgings/:judgingId': signedIn,
  'POST /api/comparisons/:id/judgings/estimate': editors,
  'POST /api/comparisons/:id/judgings': editors,
  'POST /api/comparisons/:id/judgings/:judgingId/start': editors,
  'POST /api/comparisons/:id/judgings/:judgingId/stop': editors,
  'DELETE /api/comparisons/:id/judgings/:judgingId': editors,

  'GET /api/files': signedIn,
  'GET /api/files/summary': signedIn,
  'GET /api/files/removals': signedIn,
  'GET /api/files/:id/content': signedIn,
  'POST /api/files/upload': editors,
  'POST /api/files/delete': editors,
  'POST /api/files/:id/retry': editors,
  'DELETE /api/files/:id': editors,

  'POST /api/fine-tuning/validate': signedIn,
  'GET /api/fine-tuning/connections': signedIn,
  'GET /api/fine-tuning/models': signedIn,
  'GET /api/fine-tuning/jobs': signedIn,
  'GET /api/fine-tuning/jobs/:id': signedIn,
  'GET /api/fine-tuning/jobs/:id/events': signedIn,
  'GET /api/fine-tuning/jobs/:id/metrics': signedIn,
  'GET /api/fine-tuning/jobs/:id/checkpoints': signedIn,
  'GET /api/fine-tuning/jobs/:id/result': signedIn,
  'GET /api/fine-tuning/models/custom': signedIn,
  'POST /api/fine-tuning/jobs': editors,
  'POST /api/fine-tuning/jobs/import': editors,
  'POST /api/fine-tuning/jobs/:id/cancel': editors,
  'POST /api/fine-tuning/jobs/:id/pause': editors,
  'POST /api/fine-tuning/jobs/:id/resume': editors,
  'POST /api/fine-tuning/jobs/:id/checkpoints/:checkpointId/activate': editors,
  'PATCH /api/fine-tuning/models/custom/:id': editors,
  'DELETE /api/fine-tuning/models/custom/:id': editors,
  'GET /api/fine-tuning/datasets': signedIn,
  'GET /api/fine-tuning/datasets/available': signedIn,
  'GET /api/fine-tuning/datasets/:id': signedIn,
  'GET /api/fine-tuning/datasets/:id/examples': signedIn,
  'GET /api/fine-tuning/datasets/:id/division': signedIn,
  'GET /api/fine-tuning/datasets/:id/instructions': signedIn,
  'POST /api/fine-tuning/datasets': editors,
  'PATCH /api/fine-tuning/datasets/:id': editors,
  'DELETE /api/fine-tuning/datasets/:id': editors,
  'POST /api/fine-tuning/datasets/:id/gather': editors,
  'POST /api/fine-tuning/datasets/:id/save': editors,
  'PATCH /api/fine-tuning/datasets/:id/examples/:exampleId': editors,
  'POST /api/fine-tuning/convert': editors,
  'POST /api/fine-tuning/split': editors,

  'GET /api/admin/users': administrators,
  'GET /api/admin/users/summary': administrators,
  'POST /api/admin/users': administrators,
  'PATCH /api/admin/users/:id': administrators,
  'DELETE /api/admin/users/:id': administrators,
  'POST /api/admin/users/:id/reset-password': administrators,
  'POST /api/admin/users/:id/sign-out': administrators,
  'POST /api/admin/users/:id/reset-second-factor': administrators,
  'GET /api/admin/invitations': administrators,
  'POST /api/admin/invitations': administrators,
  'POST /api/admin/invitations/:id/resend': administrators,
  'DELETE /api/admin/invitations/:id': administrators,
  'GET /api/admin/second-factor': administrators,
  'PATCH /api/admin/second-factor': administrators,
  'GET /api/admin/security-events': administrators,
  'GET /api/admin/models': administrators,
  'GET /api/admin/system': administrators,
  'POST /api/admin/jobs/:id/retry': administrators,
};

const named = ({ method, path }: Endpoint) => `${method} ${path}`;

describe.each(engines)('roles of each call on %s', (engine) => {
  let app: TestApp;
  const visitors = new Map<Kind, HttpClient>();
  beforeAll(async () => {
    app = await startApp(engine, { env: { SCIM_TOKEN: scimToken } });
    visitors.set('Admin', await app.as('admin'));
    visitors.set('anonymous', app.visitor());
    for (const role of ['Viewer', 'Editor'] as const) {
      visitors.set(role, await app.as(role.toLowerCase()));
      await setUser(app, `${role.toLowerCase()}@example.com`, { role });
    }
    // A former administrator: the status locks out, whatever the role.
    visitors.set('Inactive', await app.as('inactive'));
    await setUser(app, 'inactive@example.com', { role: 'Admin' });
    await setUser(app, 'inactive@example.com', { status: 'Inactive' });
  });
  afterAll(() => app.stop());

  /** Sends a field that no call knows: those who are allowed get an error about it, and nothing happens. */
  function tryCall(visitor: HttpClient, endpoint: Endpoint) {
    const path = endpoint.path.replace(':provider', 'google').replaceAll(/:\w+/g, '2000000000');
    if (endpoint.method === 'GET') return visitor.get(`${path}?noSuchValue=1`);
    const body = { noSuchField: 1 };
    if (endpoint.method === 'DELETE') return visitor.delete(path, body);
    if (endpoint.method === 'PUT') return visitor.put(path, body);
    return endpoint.method === 'PATCH' ? visitor.patch(path, body) : visitor.post(path, body);
  }

  test('has each existing call in the table, and no other', () => {
    const answered = app.endpoints.map(named);
    expect(answered.filter((name) => !Object.hasOwn(mayCall, name))).toEqual([]);
    const unanswered = Object.keys(mayCall).filter((name) => !answered.includes(name));
    expect(unanswered).toEqual([]);
  });

  test('admits and rejects each role by the table', async () => {
    const refusals: Record<Kind, [number, string]> = {
      anonymous: [401, 'not_signed_in'],
      Inactive: [401, 'not_signed_in'],
      Viewer: [403, 'not_allowed'],
      Editor: [403, 'not_allowed'],
      Admin: [403, 'not_allowed'],
    };
    const wrong: string[] = [];
    let cells = 0;
    for (const endpoint of app.endpoints)
      for (const [kind, visitor] of visitors) {
        cells++;
        const { status, body } = await tryCall(visitor, endpoint);
        const isAllowed = mayCall[named(endpoint)]?.includes(kind) ?? false;
        const [refusal, code] = refusals[kind];
        const isAsDeclared = isAllowed ? status !== 401 && status !== 403 : status === refusal && body.code === code;
        if (!isAsDeclared) wrong.push(`${kind}: ${named(endpoint)} answered ${status} ${body?.code}`);
      }
    expect(wrong).toEqual([]);
    expect(cells).toBe(app.endpoints.length * kinds.length);
  });

  test('opens /scim to its own token only, whatever the role', async () => {
    const administrator = visitors.get('Admin') ?? app.visitor();
    const { token } = await newToken(administrator);
    const paths = [
      '/Users',
      '/Users/1',
      '/Groups',
      '/Groups/1',
      '/ServiceProviderConfig',
      '/ResourceTypes',
      '/Schemas',
    ];
    const answered = async (directory: ReturnType<typeof scimClient>, headers: Record<string, string> = {}) => {
      const statuses: number[] = [];
      for (const path of [...paths, '/nothing'])
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
          statuses.push((await directory.send(method, path, method === 'GET' ? undefined : {}, headers)).status);
      return new Set(statuses);
    };
    for (const visitor of visitors.values()) {
      const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      expect(await answered(scimClient(app, null), { cookie })).toEqual(new Set([401]));
    }
    expect(await answered(scimClient(app, token))).toEqual(new Set([401]));
    expect(await answered(scimClient(app, `${scimToken}x`))).toEqual(new Set([401]));
    expect(await answered(scimClient(app))).not.toContain(401);
  });
});
