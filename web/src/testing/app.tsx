import type { User } from '@roster/contracts/auth';
import { createMemoryHistory, createRouter, RouterProvider } from '@tanstack/react-router';
import { createRoot, type Root } from 'react-dom/client';
import { client, Providers } from '#web/app/providers.tsx';
import { router as appRouter } from '#web/app/router.tsx';
import { markAppReady } from '#web/lib/app-ready.ts';
import { dismissToast, useToasts } from '#web/lib/toast.ts';
import '#web/styles.css';
import { answerNewAccount, person } from './new-account.ts';

let shown: { root: Root; place: HTMLElement; address: () => string; back: () => void } | null = null;
let toastIds: number[] = [];

/** Toasts live outside the application and would leak into the next test. */
function Toasts() {
  toastIds = useToasts().map(({ id }) => id);
  return null;
}

type Given = {
  /** null for a visitor. */
  user?: User | null;
  /** Overrides answers of a new account. */
  answers?: () => void;
};

/** Opens a page of the application with its whole layout. */
export function open(path: string, { user = person, answers }: Given = {}): void {
  answerNewAccount(user);
  answers?.();
  show(path);
}

/** Opens a page as a reload does: only what the browser has stored remains. */
export function show(path: string): void {
  leave();
  const history = createMemoryHistory({ initialEntries: [path] });
  const router = createRouter({ ...appRouter.options, history });
  const place = document.createElement('div');
  place.id = 'root';
  document.body.append(place);
  const root = createRoot(place);
  shown = { root, place, address: () => history.location.href, back: () => history.back() };
  markAppReady();
  root.render(
    <Providers>
      <RouterProvider router={router} />
      <Toasts />
    </Providers>,
  );
}

/** Current path of the application. */
export const address = (): string => shown?.address() ?? '';

/** As the button of the browser. */
export const goBack = (): void => shown?.back();

/** Unmounts the application. */
export function leave(): void {
  for (const id of toastIds) dismissToast(id);
  shown?.root.unmount();
  shown?.place.remove();
  shown = null;
  toastIds = [];
  client.clear();
}

const usual = document.documentElement.cloneNode();

/** Removes a test's theme and colors from the page. */
export function resetAppearance(): void {
  const root = document.documentElement;
  for (const { name } of [...root.attributes]) root.removeAttribute(name);
  if (usual instanceof Element) for (const { name, value } of usual.attributes) root.setAttribute(name, value);
}
