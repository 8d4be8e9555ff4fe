import type { SignInOptions, User } from '@roster/contracts/auth';
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { renderToString } from 'react-dom/server';
import { client, Providers } from '#web/app/providers.tsx';
import { router } from '#web/app/router.tsx';
import { currentUserQuery } from './api/current-user.ts';
import { signInOptionsQuery } from './api/sign-in-options.ts';

export type Shell = { title: string; html: string; calls: string[] };

/** Renders a page as it looks when only the user is known, and collects the calls it then makes. */
export async function renderShell(path: string, user: User | null, options?: SignInOptions): Promise<Shell> {
  client.clear();
  client.setQueryData(currentUserQuery.queryKey, user);
  if (options) client.setQueryData(signInOptionsQuery.queryKey, options);
  router.update({ ...router.options, history: createMemoryHistory({ initialEntries: [path] }) });
  const calls = recordRequests();
  await router.load();
  const text = renderToString(
    <Providers>
      <RouterProvider router={router} />
    </Providers>,
  );
  const [, title = 'Roster'] = /<title>(.*?)<\/title>/.exec(text) ?? [];
  const html = text
    .replaceAll(/<title>.*?<\/title>|<script.*?<\/script>|<template.*?<\/template>|<!--.*?-->|<link[^>]*>/gs, '')
    // The content security policy forbids inline styles in HTML; the application sets them.
    .replaceAll(/ style="[^"]*"/g, '');
  // React renders the fallback if a component has thrown.
  if (!html.includes('<main')) throw new Error(`Prerendering ${path} failed: ${html.slice(0, 300)}`);
  // Known while it was rendered, and asked for in the browser.
  const known = options ? ['/api/sign-in-options'] : [];
  return { title, html, calls: [...known, ...(await calls.ofQueries())] };
}

/** Records requests instead of making them. */
function recordRequests() {
  const calls = new Set<string>();
  globalThis.fetch = (address) => {
    // The current date will differ when the page is opened.
    if (!/[?&](from|to)=/.test(String(address))) calls.add(String(address));
    return Promise.reject(new Error('Requests are disabled while prerendering'));
  };
  return {
    /** Fetches the page's pending queries, except disabled ones. */
    async ofQueries(): Promise<string[]> {
      const queries = client.getQueryCache().getAll();
      const waiting = queries.filter(
        ({ state, options }) => state.data === undefined && !('enabled' in options && options.enabled === false),
      );
      await Promise.allSettled(waiting.map((query) => query.fetch({ ...query.options, retry: false })));
      return [...calls];
    },
  };
}
