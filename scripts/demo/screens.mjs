/** Opens something on a page by the names of its controls, one after the other. */
const press =
  (...steps) =>
  async (page) => {
    for (const [role, name] of steps)
      await page
        .getByRole(role, { name, exact: typeof name === 'string' })
        .first()
        .click();
  };

const tab = (path, tabs) => tabs.map((name) => [`${path.slice(1)}-${name}`, `${path}?tab=${name}`]);

/** Every page and tab: its name, its address, and what to open there. Text in braces is read from the demo. */
export const screens = [
  ['home', '/'],
  ['chat-new', '/chat?new=true'],
  ['chat', '/chat/{pinned}'],
  ['chat-approval', '/chat/{waiting}'],
  ['chat-columns', '/chat/{columns}'],
  ['chat-picker', '/chat?new=true', press(['button', /^(Model|Assistant): /])],
  ['chat-compare', '/chat?new=true', press(['button', /^Compare with another model|^Compare \d/])],
  ['chat-menu', '/chat/{pinned}', press(['button', 'More actions'])],
  ['palette', '/', (page) => page.keyboard.press('Control+k')],
  ['shortcuts', '/', (page) => page.keyboard.press('?')],
  ['files', '/files'],
  ['files-upload', '/files', press(['button', /^Upload/])],
  ['projects', '/projects'],
  ['prompts', '/prompts'],
  ['prompts-new', '/prompts', press(['button', /^New prompt/i])],
  ['trash', '/trash'],
  ...tab('/analytics', ['overview', 'requests', 'tools', 'tokens', 'budgets', 'provider']),
  ['analytics-budget', '/analytics?tab=budgets', press(['button', 'Add budget'])],
  ['analytics-panel', '/analytics', press(['button', /: show requests$/])],
  ['analytics-prices', '/analytics', press(['button', 'Custom prices'])],
  ['analytics-admin-key', '/analytics?tab=provider', press(['button', 'Add admin key'])],
  ...tab('/fine-tuning', ['jobs', 'models', 'datasets', 'compare']),
  ['fine-tuning-job', '/fine-tuning/jobs/{job}'],
  ['fine-tuning-create', '/fine-tuning', press(['button', 'Create Fine-Tuning Job'])],
  ['dataset', '/fine-tuning/datasets/{dataset}'],
  ['comparison', '/fine-tuning/comparisons/{comparison}'],
  ...tab('/settings', ['account', 'sessions', 'api-keys', 'assistants', 'tools', 'import', 'preferences']),
  ['settings-password', '/settings?tab=account', press(['button', 'Change password'])],
  ['settings-name', '/settings?tab=account', press(['button', /^Change name|^Add name|^Edit/])],
  ['settings-close', '/settings?tab=account', press(['button', /^(Close|Delete) account/i])],
  ['settings-token', '/settings?tab=api-keys', press(['button', /^Create token|^New token|^Create access token/i])],
  ['connection-add', '/settings?tab=api-keys', press(['button', 'Add Connection'])],
  [
    'connection-form',
    '/settings?tab=api-keys',
    press(['button', 'Add Connection'], ['button', /^(Ollama|OpenRouter)/]),
  ],
  ['connection-check', '/settings?tab=api-keys', press(['button', /^Check “|^Check Reserve|^Check$/])],
  ['settings-tools-known', '/settings?tab=tools', press(['button', 'Add Server'])],
  ['settings-appearance', '/settings?tab=preferences'],
  ['assistants', '/assistants'],
  ['assistants-templates', '/assistants', press(['button', 'New assistant'])],
  ['assistant', '/assistants/{assistant}'],
  ['assistant-versions', '/assistants/{assistant}', press(['tab', 'Versions'])],
  ['assistant-test-sets', '/assistants/{assistant}', press(['tab', 'Test Sets'])],
  ['assistant-use', '/assistants/{assistant}', press(['tab', 'Use'])],
  ['connect', '/connect'],
  ['retiring-models', '/assistants/models'],
  ['users', '/users'],
  ['users-add', '/users', press(['button', /^Add user/i])],
  ['users-invitations', '/users?tab=invitations'],
  ['system', '/system'],
  ['terms', '/terms'],
  ['privacy', '/privacy'],
  ['not-found', '/nowhere'],
];

export const publicScreens = [
  ['login', '/auth'],
  ['register', '/auth?tab=register'],
  ['request-reset', '/request-reset-password'],
  ['reset-invalid', '/reset-password'],
];

/** The ids in the addresses. */
export async function idsOf(read) {
  const { items } = await read('/api/threads');
  const [jobs, datasets, comparisons, assistants] = await Promise.all(
    ['/api/fine-tuning/jobs', '/api/fine-tuning/datasets', '/api/comparisons?kind=models', '/api/assistants'].map(read),
  );
  return {
    pinned: items.find(({ pinned }) => pinned)?.id,
    waiting: items.find(({ waitsForApproval }) => waitsForApproval)?.id,
    columns: items.find(({ title }) => title === 'A name for the new bike')?.id,
    job: jobs.find(({ status }) => status === 'succeeded')?.id,
    dataset: datasets.items[0]?.id,
    comparison: comparisons.items[0]?.id,
    assistant: assistants[0]?.id,
  };
}

/** Two connections to show, with their abilities checked; they stay in the demo. */
export async function addConnections(context, url, baseUrl) {
  const send = async (method, path, data) =>
    (await context.request.fetch(`${url}${path}`, { method, data, headers: { origin: url }, timeout: 0 })).json();
  const { connections } = await send('GET', '/api/connections');
  if (connections.length > 1) return;
  for (const name of ['Reserve account', 'Server at home'].slice(connections.length)) {
    const key = `sk-${'simulated'.repeat(5)}`;
    const { id, message } = await send('POST', '/api/connections', { preset: 'other', name, baseUrl, key });
    if (id === undefined) throw new Error(`The demo refused a connection: ${message}`);
    await send('POST', `/api/connections/${id}/check`, { model: 'gpt-4o' });
  }
}
