import multipart from '@fastify/multipart';
import Fastify, { type FastifyInstance } from 'fastify';
import { assistantRoutes } from './assistants/routes.ts';
import { AGENTS, type AgentSeed, ASSISTANTS, type AssistantSeed } from './assistants/seeds.ts';
import { audioRoutes } from './audio/routes.ts';
import { chatRoutes } from './chat/routes.ts';
import { completionRoutes } from './completions/routes.ts';
import { Containers } from './containers/containers.ts';
import { containerRoutes } from './containers/routes.ts';
import { embeddingRoutes } from './embeddings/routes.ts';
import { controlRoutes } from './faults/control-routes.ts';
import { FaultList } from './faults/fault-list.ts';
import { fileRoutes } from './files/routes.ts';
import { fineTuningRoutes } from './fine-tuning/routes.ts';
import type { Script } from './generation/script.ts';
import { admission } from './http/admission.ts';
import { answerErrors, answerUnknownPaths } from './http/error-answers.ts';
import { Journal } from './http/journal.ts';
import { imageRoutes } from './images/routes.ts';
import { modelRoutes } from './models/routes.ts';
import { moderationRoutes } from './moderations/routes.ts';
import { Ledger } from './organization/ledger.ts';
import { organizationRoutes } from './organization/routes.ts';
import { responseRoutes } from './responses/routes.ts';
import { Accounts } from './state/accounts.ts';
import { Clock } from './state/clock.ts';
import { folderStorage, memoryStorage } from './state/storage.ts';
import { vectorStoreRoutes } from './vector-stores/routes.ts';
import type { ApiPart, World } from './world.ts';

export type SimulatorOptions = {
  /** 0, the default: any free port. */
  port?: number;
  host?: string;
  /** The folder for the state; without it, everything is lost at the end. */
  data?: string;
  /** Milliseconds between two tokens by default. */
  tokenDelayMs?: number;
  /** How long a fine-tuning job stays in each of its steps. */
  jobStepMs?: number;
  maxFileBytes?: number;
  /** The day (YYYY-MM-DD) that decides which models have ended; without it, none has. */
  day?: () => string | null;
  /** Shutdown days of models: as announced, or in the far future. Default: as announced if there is a day. */
  shutdownDays?: 'announced' | 'far';
  /** Parts of the API that this provider lacks. */
  without?: readonly ApiPart[];
  assistants?: readonly AssistantSeed[];
  agents?: readonly AgentSeed[];
  /** Prepared answers to known questions. */
  script?: Script;
};

type Simulator = {
  /** `url` ends in `/v1`, as a client's base URL does; `origin` is the base of the control routes. */
  listen(): Promise<{ url: string; origin: string; port: number }>;
  close(): Promise<void>;
};

const MAX_FILE_BYTES = 512 * 1024 * 1024;
const MAX_JSON_BYTES = 100 * 1024 * 1024;

function worldOf(options: SimulatorOptions): World {
  const storage = options.data === undefined ? memoryStorage() : folderStorage(options.data);
  return {
    settings: {
      tokenDelayMs: options.tokenDelayMs ?? 20,
      day: options.day ?? (() => null),
      shutdownDays: options.shutdownDays ?? (options.day ? 'announced' : 'far'),
      jobStepMs: options.jobStepMs ?? 2_000,
      maxFileBytes: options.maxFileBytes ?? MAX_FILE_BYTES,
      without: new Set(options.without),
      assistants: options.assistants ?? ASSISTANTS,
      agents: options.agents ?? AGENTS,
      script: options.script ?? new Map(),
    },
    clock: new Clock(),
    accounts: new Accounts(storage, options.data !== undefined),
    ledger: new Ledger(storage, options.data !== undefined),
    containers: new Containers(),
    faults: new FaultList(),
    journal: new Journal(),
    sufferedOnce: new Set(),
  };
}

function api(app: FastifyInstance, world: World): void {
  admission(app, world);
  answerUnknownPaths(app);
  modelRoutes(app, world);
  responseRoutes(app, world);
  chatRoutes(app, world);
  completionRoutes(app, world);
  embeddingRoutes(app, world);
  moderationRoutes(app, world);
  imageRoutes(app, world);
  audioRoutes(app, world);
  fileRoutes(app, world);
  vectorStoreRoutes(app, world);
  containerRoutes(app, world);
  fineTuningRoutes(app, world);
  assistantRoutes(app, world);
  organizationRoutes(app, world);
}

export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const world = worldOf(options);
  const app = Fastify({
    bodyLimit: MAX_JSON_BYTES,
    forceCloseConnections: true,
    // Silently dropping a misspelt fault would make a test pass for the wrong reason.
    // Compiling the meta-schema would be most of the work of a start.
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, meta: false, validateSchema: false } },
    // Fine-tuned models have long names.
    routerOptions: { maxParamLength: 300 },
  });
  answerErrors(app);
  answerUnknownPaths(app);
  app.register(multipart, { limits: { fileSize: world.settings.maxFileBytes, files: 1 } });
  controlRoutes(app, world);
  app.register(
    (scope, _options, done) => {
      api(scope, world);
      done();
    },
    { prefix: '/v1' },
  );

  return {
    async listen() {
      const host = options.host ?? '127.0.0.1';
      const origin = await app.listen({ port: options.port ?? 0, host });
      return { url: `${origin}/v1`, origin, port: Number(new URL(origin).port) };
    },
    async close() {
      await app.close();
      await world.accounts.settled();
      await world.ledger.settled();
    },
  };
}
