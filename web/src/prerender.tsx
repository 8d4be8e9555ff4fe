import type { User } from '@roster/contracts/auth';
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { renderToString } from 'react-dom/server';
import { client, Providers } from '#web/app/providers.tsx';
import { router } from '#web/app/router.tsx';
import { currentUserQuery } from './api/current-user.ts';

export type Shell = { title: string; html: string; calls: string[] };

/** What a page looks like while nothing is known but who is there, and the calls it then makes. */
export async function renderShell(path: string, user: User | null): Promise<Shell> {
  client.clear();
  client.setQueryData(currentUserQuery.queryKey, user);
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
    // The content security policy allows no style in the text; what has one gets it from the application.
    .replaceAll(/ style="[^"]*"/g, '');
  // React puts what stands for a part where that part has failed.
  if (!html.includes('<main')) throw new Error(`The shell of ${path} cannot be drawn: ${html.slice(0, 300)}`);
  return { title, html, calls: await calls.ofQueries() };
}

/** Nothing is fetched while the shells are made: what would be is noted. */
function recordRequests() {
  const calls = new Set<string>();
  globalThis.fetch = (address) => {
    // A day is another one when the page is opened.
    if (!/[?&](from|to)=/.test(String(address))) calls.add(String(address));
    return Promise.reject(new Error('Nothing is fetched while the shells are made'));
  };
  return {
    /** Begins every query that the page has asked for; not those that wait until it can be used. */
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
