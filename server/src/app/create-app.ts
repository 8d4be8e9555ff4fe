import { createGracefulShutdown } from '#server/http/graceful-shutdown';
import type { Phase } from '#server/http/health-routes';
import { defaultTimeouts } from '#server/http/limits/connections';
import { createFeatures } from './features.ts';
import { createLifecycle } from './lifecycle.ts';
import { registerRoutes } from './routes.ts';
import { type AppContext, createServices, type ForTests } from './services.ts';

/** Builds the application from its services and features. It serves requests once `open` was called and it listens. */
export async function createApp({ checkResponses = false, jobTimes, tools, ...context }: AppContext & ForTests) {
  const services = await createServices(context, context);
  // Its hooks count requests, so they are registered before any route.
  const drain = createGracefulShutdown(services.app);
  const { auth, findCaller, figures, all: features } = createFeatures(services, tools);
  const state: { phase: Phase } = { phase: 'starting' };
  const { metricsServer, ...routes } = await registerRoutes(services, {
    features,
    findCaller,
    findUser: auth.user,
    isNewInstallation: auth.isNewInstallation,
    figures,
    state,
    checkResponses,
  });
  const lifecycle = createLifecycle(services, {
    features,
    state,
    metricsServer,
    jobTimes,
    connectionTimes: context.connectionTimes ?? defaultTimeouts,
    drain,
  });
  return { app: services.app, ...routes, needsSetupCode: auth.needsSetupCode, ...lifecycle };
}
