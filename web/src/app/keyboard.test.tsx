import { assistants } from '@roster/contracts/assistants/assistants';
import { auth } from '@roster/contracts/auth';
import { chat } from '@roster/contracts/chat';
import { files } from '@roster/contracts/files/files';
import { imports } from '@roster/contracts/imports';
import { toolServers } from '@roster/contracts/tool-servers/tool-servers';
import { trash } from '@roster/contracts/trash';
import { describe, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer, requestsTo } from '#web/testing/answers.ts';
import { address, open } from '#web/testing/app.tsx';
import { assistant } from '#web/testing/assistants.ts';
import { fixtureDate, person } from '#web/testing/new-account.ts';
import { expectHidden, expectTexts, press } from '#web/testing/page.ts';
import { project, serveProjects } from '#web/testing/projects.ts';

const welcome = page.getByRole('heading', { name: `Welcome, ${person.email}` });

describe('by keyboard', () => {
  const palette = page.getByRole('dialog', { name: 'Search and commands' });

  test('opens pages and switches the theme from the command palette', async () => {
    open('/', { answers: () => answer(assistants.list, [assistant(1)]) });
    await expect.element(welcome).toBeVisible();
    await press('Control+k');
    await expect.element(palette.getByRole('combobox')).toHaveFocus();
    await userEvent.keyboard('analy');
    const first = palette.getByRole('option', { name: 'Analytics G A' });
    await expect.element(first).toHaveAttribute('aria-selected', 'true');
    await press('Enter');
    await expect.poll(address).toBe('/analytics');
    await expectHidden(palette);

    await press('Control+k');
    await userEvent.keyboard('switch theme');
    await expectTexts(palette.getByRole('option'), ['Switch theme to Light', 'Switch theme to System']);
    await press('ArrowDown');
    await press('ArrowUp');
    await press('Enter');
    await expect.poll(() => document.documentElement.dataset.theme).toBe('light');

    await press('Control+k');
    await userEvent.keyboard('tutor');
    await expect.element(palette.getByRole('option', { name: 'Tutor' })).toHaveAttribute('aria-selected', 'true');
    await press('Enter');
    await expect.poll(address).toBe('/chat?assistant=1');
    await press('Control+k');
    await expect.element(palette).toBeVisible();
    await press('Escape');
    await expectHidden(palette);
  });

  /** In one task, so that the palette cannot have loaded meanwhile. */
  const typeAtOnce = (keys: readonly string[], on: Element = document.body) => {
    on.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true, cancelable: true }));
    return keys.map((key) => on.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })));
  };

  test('sends text typed right after Ctrl+K to the palette, not to the page', async () => {
    open('/', { answers: () => answer(assistants.list, []) });
    await expect.element(welcome).toBeVisible();
    const wasTyped = typeAtOnce([...'ga budgex', 'Backspace', 't']);
    expect(new Set(wasTyped)).toEqual(new Set([false]));
    await expect.element(palette.getByRole('combobox')).toHaveValue('ga budget');
    await expect.element(palette.getByRole('combobox')).toHaveFocus();
    expect(address()).toBe('/');
    await press('Escape');
    await expectHidden(palette);
    // Works while typing in a field, too.
    const box = page.getByRole('textbox', { name: 'Message' });
    typeAtOnce([...'analy', 'ArrowDown', 'ArrowUp', 'Enter'], box.element());
    await expect.poll(address).toBe('/analytics');
    await expectHidden(palette);
    typeAtOnce([...'ga', 'Escape']);
    await press('g');
    await press('f');
    await expect.poll(address).toBe('/files');
    await expectHidden(palette);
  });

  const openHome = () =>
    open('/', {
      answers() {
        answer(files.list, []);
        answer(trash.list, { items: [], nextCursor: null, count: 0 });
        answer(toolServers.list, []);
        answer(toolServers.commands, []);
        answer(imports.list, { items: [], nextCursor: null });
        serveProjects([project(3, { name: 'Garden plan' })]);
      },
    });

  test.each([
    ['mcp', 'Settings: Tools', '/settings?tab=tools'],
    ['api key', 'Settings: API Keys', '/settings?tab=api-keys'],
    ['preferences', 'Settings: Preferences', '/settings?tab=preferences'],
    ['chatgpt', 'Import conversations', '/settings?tab=import'],
    ['restore', 'Open trash', '/trash'],
    ['workspaces', 'Projects', '/projects'],
    ['garden', 'Garden plan', '/projects/3'],
    ['new project', 'New project', '/projects'],
    ['upload', 'Upload files', '/files'],
  ])('finds a page, tab or action by another name: %s', async (text, label, path) => {
    openHome();
    await expect.element(welcome).toBeVisible();
    await press('Control+k');
    await userEvent.keyboard(text);
    await palette.getByRole('option', { name: label, exact: true }).click();
    await expect.poll(address).toBe(path);
    if (label === 'New project') await expect.element(page.getByRole('dialog', { name: label })).toBeVisible();
    if (path === '/files') await expect.element(page.getByRole('dialog', { name: 'Upload Files' })).toBeVisible();
  });

  test('offers what was run last first, and pages for administrators only to them', async () => {
    openHome();
    await expect.element(welcome).toBeVisible();
    await press('Control+k');
    await expect.element(palette.getByRole('option', { name: 'New chat' })).toBeVisible();
    await expectHidden(palette.getByRole('group', { name: 'Recent' }));
    await userEvent.keyboard('restore');
    await palette.getByRole('option', { name: 'Open trash' }).click();
    await expect.poll(address).toBe('/trash');
    await press('Control+k');
    const recent = palette.getByRole('group', { name: 'Recent' });
    await expectTexts(recent.getByRole('option'), ['Open trash']);
    await userEvent.keyboard('invite');
    await expectHidden(palette.getByRole('option', { name: 'Users: Invitations' }));
  });

  test('logs out from the command palette', async () => {
    open('/', { answers: () => answer(files.list, []) });
    await expect.element(welcome).toBeVisible();
    answer(auth.logout, undefined);
    await press('Control+k');
    await userEvent.keyboard('log out');
    await palette.getByRole('option', { name: 'Log out', exact: true }).click();
    await expect.poll(() => requestsTo(auth.logout).length).toBe(1);
  });

  test('finds conversations by their content in the command palette', async () => {
    const thread = {
      id: 42,
      title: 'Harbour walk',
      assistantId: 1,
      model: null,
      pinned: false,
      archived: false,
      madeBy: null,
      createdAt: fixtureDate,
      updatedAt: fixtureDate,
      runId: null,
    };
    open('/', {
      answers() {
        answer(chat.threads, ({ query }) => ({
          items: query.q === 'harbour' ? [{ ...thread, match: null }] : [],
          nextCursor: null,
        }));
        answer(chat.thread, thread);
        answer(chat.messages, { items: [], nextCursor: null, newerCursor: null });
      },
    });
    await expect.element(page.getByText('Your AI Assistant Dashboard')).toBeVisible();
    await press('Control+k');
    await expect.element(page.getByRole('combobox', { name: /^Search pages/ })).toHaveFocus();
    await userEvent.keyboard('harbour');
    await expect.element(page.getByRole('option', { name: 'Harbour walk' })).toBeVisible();
    await press('Enter');
    await expect.poll(address).toBe('/chat/42');
  });

  test('lists shortcuts with ? and opens pages with G, but not while typing', async () => {
    open('/');
    await expect.element(welcome).toBeVisible();
    const shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await press('?');
    await expect.element(shortcuts.getByText('Search and commands')).toBeVisible();
    await expect.element(shortcuts.getByText('Edit the last question')).toBeVisible();
    await press('Escape');
    await expectHidden(shortcuts);
    await press('g');
    await press('c');
    await expect.poll(address).toBe('/chat');
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('');
    await userEvent.keyboard('ga?[[');
    await expect.element(message).toHaveValue('ga?[');
    expect(address()).toBe('/chat');
    await expectHidden(shortcuts);
  });
});
