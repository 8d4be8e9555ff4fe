import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
} from '@tanstack/react-router';
import { isNewInstallation, signInOptionsQuery } from '#web/api/sign-in-options.ts';
import { afterContent } from '#web/lib/app-ready.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { FailedPage } from './failed-page.tsx';
import { client } from './providers.tsx';
import { NotFound } from './routes/not-found-route.tsx';
import {
  analyticsSearch,
  authSearch,
  chatSearch,
  connectSearch,
  filesSearch,
  fineTuningSearch,
  newAssistantSearch,
  settingsSearch,
  usersSearch,
} from './search.ts';

// Not needed before the second page.
const PageAnnouncer = lazyPart(async () => (await afterContent(() => import('./page-announcer.tsx'))).PageAnnouncer);

function Root() {
  return (
    <>
      <Outlet />
      <PageAnnouncer />
    </>
  );
}

// The router's own lazy components below: it loads them before the page is shown, as soon as a link is pointed at.
const root = createRootRoute({ component: Root, notFoundComponent: NotFound });

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: lazyRouteComponent(() => import('./shell.tsx'), 'SignedInArea'),
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  component: lazyRouteComponent(() => import('#web/features/home/home-page.tsx'), 'HomePage'),
});
// One component for both paths, so that it stays mounted when a new conversation gets its address.
const chat = createRoute({
  getParentRoute: () => signedIn,
  path: '/chat',
  validateSearch: chatSearch,
  component: lazyRouteComponent(() => import('./routes/chat-route.tsx'), 'ChatRoute'),
});
const newThread = createRoute({
  getParentRoute: () => chat,
  path: '/',
  loader: async () => {
    await (await import('#web/features/chat/chat-page.tsx')).loadNewThreadPane();
  },
});
const thread = createRoute({
  getParentRoute: () => chat,
  path: '/$threadId',
  loader: async () => {
    await (await import('#web/features/chat/chat-page.tsx')).loadThreadPane();
  },
});
const files = createRoute({
  getParentRoute: () => signedIn,
  path: '/files',
  validateSearch: filesSearch,
  component: lazyRouteComponent(() => import('./routes/files-route.tsx'), 'FilesRoute'),
});
const prompts = createRoute({
  getParentRoute: () => signedIn,
  path: '/prompts',
  component: lazyRouteComponent(() => import('#web/features/prompts/prompts-page.tsx'), 'PromptsPage'),
});
const analytics = createRoute({
  getParentRoute: () => signedIn,
  path: '/analytics',
  validateSearch: analyticsSearch,
  component: lazyRouteComponent(() => import('./routes/analytics-route.tsx'), 'AnalyticsRoute'),
});
const fineTuning = createRoute({
  getParentRoute: () => signedIn,
  path: '/fine-tuning',
  validateSearch: fineTuningSearch,
  component: lazyRouteComponent(() => import('./routes/fine-tuning-route.tsx'), 'FineTuningRoute'),
});
/** An id in a path; anything else is a page that does not exist. */
const byId = {
  parse: ({ id }: { id: string }) => {
    if (!/^[1-9]\d{0,9}$/.test(id)) throw notFound();
    return { id: Number(id) };
  },
  stringify: ({ id }: { id: number }) => ({ id: String(id) }),
};
const job = createRoute({
  getParentRoute: () => signedIn,
  path: '/fine-tuning/jobs/$id',
  params: byId,
  component: lazyRouteComponent(() => import('./routes/fine-tuning-route.tsx'), 'JobRoute'),
});
const dataset = createRoute({
  getParentRoute: () => signedIn,
  path: '/fine-tuning/datasets/$id',
  params: byId,
  component: lazyRouteComponent(() => import('./routes/fine-tuning-route.tsx'), 'DatasetRoute'),
});
const comparison = createRoute({
  getParentRoute: () => signedIn,
  path: '/fine-tuning/comparisons/$id',
  params: byId,
  component: lazyRouteComponent(() => import('./routes/fine-tuning-route.tsx'), 'ComparisonRoute'),
});
const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  validateSearch: settingsSearch,
  component: lazyRouteComponent(() => import('./routes/settings-route.tsx'), 'SettingsRoute'),
});
const connect = createRoute({
  getParentRoute: () => signedIn,
  path: '/connect',
  validateSearch: connectSearch,
  component: lazyRouteComponent(() => import('./routes/connect-route.tsx'), 'ConnectRoute'),
});
const projects = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects',
  component: lazyRouteComponent(() => import('./routes/projects-route.tsx'), 'ProjectsRoute'),
});
const project = createRoute({
  getParentRoute: () => signedIn,
  path: '/projects/$id',
  params: byId,
  component: lazyRouteComponent(() => import('./routes/projects-route.tsx'), 'ProjectRoute'),
});
const trash = createRoute({
  getParentRoute: () => signedIn,
  path: '/trash',
  component: lazyRouteComponent(() => import('#web/features/chat/trash/trash-page.tsx'), 'TrashPage'),
});
const assistants = createRoute({
  getParentRoute: () => signedIn,
  path: '/assistants',
  component: lazyRouteComponent(() => import('#web/features/assistants/page/assistants-page.tsx'), 'AssistantsPage'),
});
const newAssistant = createRoute({
  getParentRoute: () => signedIn,
  path: '/assistants/new',
  validateSearch: newAssistantSearch,
  component: lazyRouteComponent(() => import('./routes/assistants-route.tsx'), 'NewAssistantRoute'),
});
const assistant = createRoute({
  getParentRoute: () => signedIn,
  path: '/assistants/$id',
  params: byId,
  component: lazyRouteComponent(() => import('./routes/assistants-route.tsx'), 'AssistantRoute'),
});
const endingModels = createRoute({
  getParentRoute: () => signedIn,
  path: '/assistants/models',
  component: lazyRouteComponent(() => import('./routes/retirement-route.tsx'), 'RetiringModelsRoute'),
});
const testSets = createRoute({
  getParentRoute: () => signedIn,
  path: '/assistants/$id/test-sets',
  params: byId,
  component: lazyRouteComponent(() => import('./routes/test-sets-route.tsx'), 'TestSetsRoute'),
});
const testSet = createRoute({
  getParentRoute: () => signedIn,
  path: '/test-sets/$id',
  params: byId,
  component: lazyRouteComponent(() => import('./routes/test-sets-route.tsx'), 'TestSetRoute'),
});
const users = createRoute({
  getParentRoute: () => signedIn,
  path: '/users',
  validateSearch: usersSearch,
  component: lazyRouteComponent(() => import('./routes/users-route.tsx'), 'UsersRoute'),
});

const system = createRoute({
  getParentRoute: () => signedIn,
  path: '/system',
  component: lazyRouteComponent(() => import('./routes/system-route.tsx'), 'SystemRoute'),
});

const auth = createRoute({
  getParentRoute: () => root,
  path: '/auth',
  validateSearch: authSearch,
  component: lazyRouteComponent(() => import('./routes/auth-route.tsx'), 'AuthRoute'),
  // Keep the current form until the other has loaded: a spinner would lose what is typed.
  pendingMs: Number.POSITIVE_INFINITY,
  loaderDeps: ({ search: { tab } }) => ({ tab }),
  loader: async ({ deps: { tab } }) => {
    // A failure is shown where the options are used.
    const options = tab ? undefined : await client.ensureQueryData(signInOptionsQuery).catch(() => undefined);
    if (tab === 'register' || isNewInstallation(options))
      await (await import('#web/features/auth/auth-page.tsx')).loadRegisterForm();
  },
});
const requestReset = createRoute({
  getParentRoute: () => root,
  path: '/request-reset-password',
  component: lazyRouteComponent(() => import('#web/features/auth/request-reset-page.tsx'), 'RequestResetPage'),
});
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('./routes/link-routes.tsx'), 'ResetPasswordRoute'),
});
const loginLink = createRoute({
  getParentRoute: () => root,
  path: '/login-link',
  component: lazyRouteComponent(() => import('./routes/link-routes.tsx'), 'LoginLinkRoute'),
});
const confirmEmail = createRoute({
  getParentRoute: () => root,
  path: '/confirm-email',
  component: lazyRouteComponent(() => import('./routes/link-routes.tsx'), 'ConfirmEmailRoute'),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./routes/link-routes.tsx'), 'InvitationRoute'),
});
const terms = createRoute({
  getParentRoute: () => root,
  path: '/terms',
  component: lazyRouteComponent(() => import('#web/features/legal/terms-page.tsx'), 'TermsPage'),
});
const privacy = createRoute({
  getParentRoute: () => root,
  path: '/privacy',
  component: lazyRouteComponent(() => import('#web/features/legal/privacy-page.tsx'), 'PrivacyPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signedIn.addChildren([
      home,
      chat.addChildren([newThread, thread]),
      files,
      prompts,
      analytics,
      fineTuning,
      job,
      dataset,
      comparison,
      settings,
      connect,
      projects,
      project,
      trash,
      assistants,
      newAssistant,
      assistant,
      endingModels,
      testSets,
      testSet,
      users,
      system,
    ]),
    auth,
    requestReset,
    resetPassword,
    loginLink,
    confirmEmail,
    invitation,
    terms,
    privacy,
  ]),
  defaultPreload: 'intent',
  defaultPendingMs: 200,
  defaultPendingMinMs: 0,
  defaultPendingComponent: () => <SpinnerPanel className="min-h-[60dvh]" />,
  defaultErrorComponent: FailedPage,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
