import { schemaState } from '#server/db/migrate';
import type { Feature } from '#server/features/feature';
import { describeApi } from '#server/http/app-router/api-description';
import { createRouter } from '#server/http/app-router/router';
import { type HealthChecks, healthRoutes, type Phase } from '#server/http/health-routes';
import { describePublicApi } from '#server/http/public-api/api-description';
import type { FindPrincipal } from '#server/http/public-api/api-principal';
import { createPublicApiRouter } from '#server/http/public-api/router';
import { serveWeb } from '#server/http/static/web-files';
import { listenForMetrics, metricsRoute } from '#server/metrics/metrics-server';
import type { Figures } from '#server/metrics/prometheus';
import type { Services } from './services.ts';

type RouterOptions = Parameters<typeof createRouter>[0];
type WebOptions = Parameters<typeof serveWeb>[0];

type Options = {
  features: readonly Feature[];
  findCaller: FindPrincipal;
  findUser: (userId: number) => ReturnType<WebOptions['findUser']>;
  isNewInstallation: WebOptions['isNewInstallation'];
  figures: () => Promise<Figures>;
  state: { phase: Phase };
  checkResponses: boolean;
};

/** Registers every route: the pages' calls, the public API, health, metrics, API descriptions and the web files. */
export async function registerRoutes(services: Services, options: Options) {
  const { app, config, cookie, openResponses, rates, sessions } = services;
  const { features, findCaller, findUser, isNewInstallation, checkResponses } = options;
  const [sessionToken, lockActor] = [cookie.read, sessions.lock];
  const findActor: RouterOptions['findActor'] = (token, { ip }) => sessions.find(token, ip);
  const router = createRouter({ app, rates, checkResponses, sessionToken, findActor, lockActor, openResponses });
  const publicApi = createPublicApiRouter({ app, config, rates, findCaller, checkResponses });
  for (const { routes, apiRoutes } of features) {
    routes?.(router);
    apiRoutes?.(publicApi);
  }
  await publicApi.open();
  healthRoutes(app, options.state, healthChecks(services));
  const metricsServer = await serveMetrics(services, options.figures);
  describeApi(app, router.endpoints, cookie.name);
  describePublicApi(app, publicApi.endpoints);
  await serveWeb({
    app,
    sessionToken,
    async findUser(token, request) {
      const actor = await findActor(token, request);
      return actor && findUser(actor.userId);
    },
    isNewInstallation,
  });
  return { endpoints: router.endpoints, apiEndpoints: publicApi.endpoints, metricsServer };
}

const healthChecks = ({ database, store }: Services): HealthChecks => ({
  database: () => database.check().then(() => 'ok'),
  schema: () => schemaState(database.db),
  storage: () => store.check().then(() => 'ok'),
});

/** Serves metrics, if configured, on the main port or on one of their own, which it returns. */
async function serveMetrics({ app, config: { metrics }, prometheus }: Services, figures: () => Promise<Figures>) {
  if (!metrics || !prometheus) return undefined;
  const answer = { contentType: prometheus.contentType, text: async () => prometheus.text(await figures()) };
  if (metrics.listen) return listenForMetrics(metrics, answer);
  metricsRoute(app, metrics, answer);
}
