import { createServer } from 'node:http';
import { conversation } from './conversation.ts';
import {
  expect,
  expectAccessibleInBothThemes,
  expectNoSidewaysScroll,
  goodKey,
  leaveAllPages,
  newEmail,
  password,
  request,
  test,
} from './fixtures.ts';
import { startRoster } from './roster.ts';

/** A tool server whose calls are answered once that is allowed. */
async function startTools() {
  const called: string[] = [];
  const held: (() => void)[] = [];
  const server = createServer((incoming, answer) => {
    incoming.resume();
    incoming.on('end', () => {
      called.push(incoming.url ?? '');
      held.push(() => answer.end('It is paid.'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const address = server.address();
  return {
    url: `http://localhost:${typeof address === 'object' && address ? address.port : 0}`,
    called,
    answer() {
      for (const one of held.splice(0)) one();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('approves a call in another tab, over reloads, and continues the answer in both', async ({ page, context }) => {
  await using tools = await startTools();
  await using roster = await startRoster({ toolsUrl: tools.url });
  await request(page, roster, 'POST', '/api/register', { email: newEmail(), password });
  await request(page, roster, 'POST', '/api/settings/apikey', { apiKey: goodKey });
  const { body: assistant } = await request(page, roster, 'POST', '/api/assistants', {
    name: 'Clerk',
    model: 'gpt-4o',
  });
  const draft = { assistantId: assistant.id, title: 'Bills' };
  const { body: thread } = await request(page, roster, 'POST', '/api/threads', draft);
  const address = `${roster.url}/chat/${thread.id}`;

  await page.goto(address);
  // Checked in both themes; an init script would also run on the final empty page.
  await page.evaluate(() => localStorage.setItem('app-theme', 'system'));
  await page.reload();
  const { ask, answers, untilDone } = conversation(page);
  await ask('[[saying]] [[call demo_pay]] The bill');
  const question = answers.getByRole('region', { name: 'Call pay?' });
  await expect(question).toContainText('Demo server');
  await expect(question.getByRole('definition')).toHaveText('bill');
  await expect(page.getByRole('link', { name: 'Bills' })).toContainText('Waiting for you');
  await expectAccessibleInBothThemes(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.reload();
  await expect(question).toBeVisible();

  const second = await context.newPage();
  await second.goto(address);
  const there = conversation(second);
  await there.answers.getByRole('button', { name: 'Approve', exact: true }).click();
  const calling = answers.getByText('Calling pay of Demo server');
  await expect(calling).toBeVisible();
  await expect(question).toBeHidden();
  await expect.poll(() => tools.called).toHaveLength(1);
  // In the middle of the call.
  await page.reload();
  await expect(calling).toBeVisible();
  tools.answer();
  await untilDone();
  await there.untilDone();
  for (const shown of [answers, there.answers]) {
    await expect(shown).toContainText('The functions said: It is paid.');
    await expect(shown.getByText('Called pay of Demo server')).toBeVisible();
  }
  expect(tools.called).toHaveLength(1);
  await leaveAllPages(context);
});
