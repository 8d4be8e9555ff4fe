import { account } from '@roster/contracts/account';
import { connect } from '@roster/contracts/connect';
import { models } from '@roster/contracts/models/models';
import { modelRetirement } from '@roster/contracts/models/retirement';
import { users } from '@roster/contracts/users';
import { describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer } from '#web/testing/answers.ts';
import { address, open, show } from '#web/testing/app.tsx';
import { serveThreads, thread } from '#web/testing/conversations.ts';
import { endingModel, model, modelList, person, savedKey } from '#web/testing/new-account.ts';
import { expectCount, expectHidden, expectText, expectTexts } from '#web/testing/page.ts';

const main = page.getByRole('main');
const mainMenu = page.getByRole('navigation', { name: 'Main' });
const welcome = page.getByRole('heading', { name: `Welcome, ${person.email}` });
const administrator = { ...person, role: 'Admin' } as const;

describe('home', () => {
  test('greets the user and links to all pages', async () => {
    const cards = [
      ['Chat with AI', 'Interact with your personalized OpenAI assistant', '/chat'],
      ['Manage Files', 'Upload and organize files for your assistants', '/files'],
      ['Analytics', 'Track your API usage and costs', '/analytics'],
    ] as const;
    open('/');
    for (const [title, text, path] of cards) {
      await expect.element(welcome).toBeVisible();
      await expect.element(page.getByText('Your AI Assistant Dashboard')).toBeVisible();
      const card = main.getByRole('link', { name: title });
      await expectText(card, text);
      await card.click();
      await expect.poll(address).toBe(path);
      show('/');
    }
    await expect.element(main.getByRole('heading', { name: 'User Management' })).toBeVisible();
    await expect.element(main.getByText('Manage user access and permissions. For administrators.')).toBeVisible();
    await expectCount(main.getByRole('link', { name: 'User Management' }), 0);
  });

  test('links administrators to the accounts', async () => {
    open('/', {
      user: administrator,
      answers() {
        answer(users.list, { items: [], nextCursor: null });
        answer(users.summary, { total: 1, active: 1, administrators: 1, recent: 1 });
      },
    });
    await main.getByRole('link', { name: 'User Management' }).click();
    await expect.poll(address).toBe('/users');
    await expect.element(page.getByRole('heading', { name: 'Users' })).toBeVisible();
  });

  test('shows the set-up steps of a new account', async () => {
    open('/');
    await expect.element(welcome).toBeVisible();
    const steps = page.getByRole('region', { name: 'First steps' }).getByRole('listitem');
    await expectTexts(steps, [/^1 Add your OpenAI API key/, /^2 Ask your first question/]);
    await expectCount(page.getByText('Create an assistant'), 0);
    await page.getByRole('link', { name: 'Add API key' }).click();
    await expect.poll(address).toBe('/settings?tab=api-keys');
  });

  test('ticks the steps that are done, and shows none when all are', async () => {
    const list = modelList(...['gpt-4o', 'gpt-4o-mini', 'gpt-5'].map((id) => model(id)));
    const answers = () => {
      answer(account.config, savedKey);
      answer(models.list, list);
    };
    open('/', { answers });
    const steps = page.getByRole('region', { name: 'First steps' }).getByRole('listitem');
    await expectTexts(steps, [/^Add your OpenAI API key Done$/, /^2 Ask your first question/]);
    await page.getByRole('link', { name: 'Ask three models at once' }).click();
    await expect.element(page.getByText('3 models answer side by side.')).toBeVisible();
    open('/', {
      answers() {
        answers();
        serveThreads([thread(1), thread(2, { runId: 5 }), thread(3, { runId: 6, waitsForApproval: true })]);
      },
    });
    const recent = page.getByRole('region', { name: 'Recent conversations' }).getByRole('listitem');
    await expectTexts(recent, [
      /^Conversation 1/,
      /^Conversation 2\s*Answering$/,
      /^Conversation 3\s*Waiting for you$/,
    ]);
    await expectCount(steps, 0);
  });

  test('shows what needs attention and links to it', async () => {
    open('/', {
      answers() {
        answer(account.config, savedKey);
        const tuned = { id: 1, name: 'Weather', model: 'ft:gpt-4o:me::1', job: null, dataset: null };
        const tunedModels = { tunedModels: [tuned], tunedModelCount: 1 };
        answer(modelRetirement.list, {
          items: [
            endingModel('gpt-5', { lifecycle: 'gone', shutdownDate: '2026-12-11', conversations: 1 }),
            endingModel('gpt-4o', { assistantCount: 3, ...tunedModels }),
            endingModel('ft:gpt-4o:me::1', { assistantCount: 1, ...tunedModels }),
            ...['gpt-4.1', 'gpt-4.1-mini'].map((model) => endingModel(model)),
          ],
        });
      },
    });
    await expect.element(welcome).toBeVisible();
    const matter = page
      .getByRole('region', { name: 'Needs attention' })
      .getByRole('listitem')
      .filter({ hasText: 'gpt-4o' });
    await expectText(
      matter,
      /gpt-4o, ft:gpt-4o:me::1, gpt-4\.1 and 1 other retire on January 14, 2027\s*Used by 4 assistants and 1 fine-tuned model/,
    );
    const gone = page.getByRole('listitem').filter({ hasText: 'gpt-5' });
    await expectText(gone, /gpt-5 retired on December 11, 2026\s*Used by 1 conversation/);
    await matter.getByRole('link').click();
    await expect.poll(address).toBe('/assistants/models');
    await expect.element(page.getByRole('heading', { level: 1, name: 'Retiring Models' })).toBeVisible();
  });
});

describe('sidebar', () => {
  test('lists the pages in order', async () => {
    open('/', { answers: () => answer(connect.assistants, []) });
    await expectTexts(mainMenu.getByRole('link'), [
      'Home',
      'Chat',
      'Assistants',
      'Files',
      'Analytics',
      'Fine-Tuning',
      'Settings',
      'Connect',
    ]);
    const links = mainMenu.getByRole('link');
    await expect.element(links.first()).toHaveAttribute('aria-current', 'page');
    const titles = ['Chat with AI', 'Assistants', 'File Management', 'Analytics', 'Fine-Tuning', 'Settings', 'Connect'];
    for (const [index, title] of titles.entries()) {
      await links.nth(index + 1).click();
      await expect.element(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
      await expect.element(links.nth(index + 1)).toHaveAttribute('aria-current', 'page');
    }
  });

  test('shows Users and System before Settings to administrators', async () => {
    open('/', { user: administrator });
    await expectTexts(mainMenu.getByRole('link'), [
      'Home',
      'Chat',
      'Assistants',
      'Files',
      'Analytics',
      'Fine-Tuning',
      'Users',
      'System',
      'Settings',
      'Connect',
    ]);
  });

  test('collapses to icons, remembers it and expands again', async () => {
    const desk = page.getByRole('complementary', { name: 'Sidebar' });
    const width = () => desk.element().getBoundingClientRect().width;
    open('/');
    await expect.element(desk.getByText(person.email).first()).toBeVisible();
    await expect.poll(width).toBeGreaterThan(200);
    await page.getByRole('button', { name: 'Collapse sidebar' }).click();
    await expect.poll(width).toBeLessThan(80);
    show('/');
    await expect.element(mainMenu.getByRole('link', { name: 'Analytics' })).toBeVisible();
    expect(width()).toBeLessThan(80);
    await mainMenu.getByRole('link', { name: 'Analytics' }).hover();
    await expect.element(page.getByRole('tooltip', { name: 'Analytics' })).toBeVisible();
    await page.getByRole('button', { name: 'Expand sidebar' }).click();
    await expect.poll(width).toBeGreaterThan(200);
  });
});

test('folds to icons on Chat alone, which has one New Chat, one search and no footer', async () => {
  const desk = page.getByRole('complementary', { name: 'Sidebar' });
  const width = () => desk.element().getBoundingClientRect().width;
  open('/chat');
  await expect.element(page.getByRole('heading', { name: 'Chat with AI' }).first()).toBeVisible();
  await expect.poll(width).toBeLessThan(80);
  await expectHidden(desk.getByRole('link', { name: 'New Chat' }));
  await expectHidden(desk.getByRole('button', { name: 'Search' }));
  await expectCount(page.getByRole('contentinfo'), 0);
  await page.getByRole('button', { name: 'Expand sidebar' }).click();
  await expect.element(desk.getByRole('link', { name: 'Privacy Policy' })).toBeVisible();
  show('/chat');
  await expect.poll(width).toBeGreaterThan(200);
  await page.getByRole('button', { name: 'Collapse sidebar' }).click();
  await mainMenu.getByRole('link', { name: 'Home' }).click();
  await expect.poll(width).toBeGreaterThan(200);
});

test('begins every page at the same edge, narrow ones too', async () => {
  const left = async (path: string, name: string) => {
    open(path);
    const title = page.getByRole('heading', { name, level: 1 });
    await expect.element(title).toBeVisible();
    return title.element().getBoundingClientRect().left;
  };
  await page.viewport(1440, 900);
  const edge = await left('/files', 'File Management');
  expect([await left('/settings', 'Settings'), await left('/projects', 'Projects')]).toEqual([edge, edge]);
});

test('shows the year, terms and policies in the footer', async () => {
  open('/settings');
  const footer = page.getByRole('contentinfo');
  await expectText(footer, `© ${new Date().getFullYear()}`);
  await expect
    .element(footer.getByRole('link', { name: 'OpenAI Policies' }))
    .toHaveAttribute('href', expect.stringMatching(/^https:\/\/openai\.com\//));
  await footer.getByRole('link', { name: 'Privacy Policy' }).click();
  await expect.poll(address).toBe('/privacy');
  show('/settings');
  await footer.getByRole('link', { name: 'Terms of Use' }).click();
  await expect.poll(address).toBe('/terms');
});

test('falls back to defaults for invalid search parameters', async () => {
  const tab = (name: string) => page.getByRole('tab', { name, exact: true });
  open('/settings?tab=nonsense');
  await expect.element(tab('Account')).toHaveAttribute('aria-selected', 'true');
  show('/settings?tab=assistants&view=nonsense&edit=nonsense');
  await expect.element(tab('Your Assistants')).toHaveAttribute('aria-selected', 'true');
  show('/analytics?range=12');
  await expect.element(page.getByRole('radio', { name: '30 days' })).toBeChecked();
});

describe('viewer', () => {
  const viewer = { ...person, role: 'Viewer' } as const;
  const reason = 'As a Viewer you can chat. Only Editors and Admins can make changes here.';

  test('says who can create assistants if there are none', async () => {
    open('/chat', { user: viewer });
    await expectText(page.getByText('You have no assistants.'), reason);
  });

  test('redirects an Editor from the Users page', async () => {
    open('/users');
    await expect.poll(address).toBe('/');
    await expect.element(welcome).toBeVisible();
  });
});
