import type { User } from '@roster/contracts/auth';
import { createMemoryHistory, createRouter, RouterProvider } from '@tanstack/react-router';
import { createRoot, type Root } from 'react-dom/client';
import { client, Providers } from '#web/app/providers.tsx';
import { router as appRouter } from '#web/app/router.tsx';
import { markAppReady } from '#web/lib/app-ready.ts';
import { dismissToast, useToasts } from '#web/lib/toast.ts';
import '#web/styles.css';
import { answerNewAccount, person } from './new-account.ts';

let shown: { root: Root; place: HTMLElement; address: () => string } | null = null;
let toastIds: number[] = [];

/** Toasts stand beside the application, and would be there for the next test. */
function Toasts() {
  toastIds = useToasts().map(({ id }) => id);
  return null;
}

type Given = {
  /** null: a visitor. */
  user?: User | null;
  /** What is answered differently from how a new account is. */
  answers?: () => void;
};

/** Opens a page of the application, with everything around it. */
export function open(path: string, { user = person, answers }: Given = {}): void {
  answerNewAccount(user);
  answers?.();
  show(path);
}

/** Opens a page as a reload or an address does: what is kept in the browser is there, nothing else. */
export function show(path: string): void {
  leave();
  const history = createMemoryHistory({ initialEntries: [path] });
  const router = createRouter({ ...appRouter.options, history });
  const place = document.createElement('div');
  place.id = 'root';
  document.body.append(place);
  const root = createRoot(place);
  shown = { root, place, address: () => history.location.href };
  markAppReady();
  root.render(
    <Providers>
      <RouterProvider router={router} />
      <Toasts />
    </Providers>,
  );
}

/** Where the application is. */
export const address = (): string => shown?.address() ?? '';

/** Takes the application off the page. */
export function leave(): void {
  for (const id of toastIds) dismissToast(id);
  shown?.root.unmount();
  shown?.place.remove();
  shown = null;
  toastIds = [];
  client.clear();
}

const usual = document.documentElement.cloneNode();

/** Nothing of how one test made the page look is there in the next. */
export function resetAppearance(): void {
  const root = document.documentElement;
  for (const { name } of [...root.attributes]) root.removeAttribute(name);
  if (usual instanceof Element) for (const { name, value } of usual.attributes) root.setAttribute(name, value);
}
