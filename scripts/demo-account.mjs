const account = { email: 'demo@example.com', password: 'try everything here' };

/** The demo account: a key, three assistants, and threads that the simulator really answered. */
const assistants = [
  {
    name: 'Writing partner',
    description: 'Shortens, sharpens and asks what you really want to say.',
    model: 'gpt-6-luna',
    reasoningEffort: 'low',
    instructions:
      'You edit texts. Keep the meaning, drop what is not needed, and explain each larger change in a line.',
  },
  {
    name: 'Code reviewer',
    description: 'Reads a diff as a careful colleague would.',
    model: 'gpt-6.1-terra',
    reasoningEffort: 'medium',
    instructions: 'You review code. Name the defect, the line and the smallest change that mends it.',
  },
  {
    name: 'Data explainer',
    description: 'Turns figures into tables and plain sentences.',
    model: 'gpt-4o',
    temperature: 0.3,
    instructions: 'You explain data. Begin with the one sentence that matters, then show a table.',
  },
];
const questions = [
  'Compare the ways of teaching a model in a table',
  'Show me code in three languages',
  'Draw a diagram of a sign-in',
];

/** Creates the demo account if it does not exist yet, through the calls that a browser makes. */
export async function prepare(url) {
  await untilReady(url);
  let cookie = '';
  const call = async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { origin: url, cookie, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
    const text = await response.text();
    return { ok: response.ok, body: text ? JSON.parse(text) : undefined };
  };

  const registered = await call('POST', '/api/register', account);
  if (!registered.ok) return account;
  await call('POST', '/api/settings/apikey', { apiKey: `sk-${'demo'.repeat(10)}` });
  for (const [index, assistant] of assistants.entries()) {
    const created = await call('POST', '/api/assistants', assistant);
    const thread = await call('POST', '/api/threads', { assistantId: created.body.id });
    await call('POST', `/api/threads/${thread.body.id}/messages`, {
      message: questions[index],
      clientId: `demo-question-${index}`,
    });
  }
  return account;
}

async function untilReady(url) {
  for (let attempt = 0; attempt < 150; attempt++) {
    const ready = await fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`Roster did not get ready at ${url}`);
}
