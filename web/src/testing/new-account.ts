import { account, defaultPreferences, type UserConfig } from '@roster/contracts/account';
import { apiTokens } from '@roster/contracts/api-tokens';
import { assistants } from '@roster/contracts/assistants/assistants';
import { auth, type SignInOptions, type User } from '@roster/contracts/auth';
import { chat } from '@roster/contracts/chat';
import { comparisons } from '@roster/contracts/comparisons/comparisons';
import { connections } from '@roster/contracts/connections/connections';
import { files } from '@roster/contracts/files/files';
import { datasets } from '@roster/contracts/fine-tuning/datasets';
import { fineTuning } from '@roster/contracts/fine-tuning/jobs';
import { modelChoices, noModelChoices } from '@roster/contracts/models/model-choices';
import { type ConnectionModels, type Model, type ModelList, models } from '@roster/contracts/models/models';
import { modelRetirement, type RetiringModel } from '@roster/contracts/models/retirement';
import { passkeys } from '@roster/contracts/passkeys';
import { projects } from '@roster/contracts/projects/projects';
import { type SecondFactorState, secondFactor } from '@roster/contracts/second-factor';
import { toolServers } from '@roster/contracts/tool-servers/tool-servers';
import { daysBetween } from '@roster/contracts/usage/day';
import { type Analytics, type Figures, usage } from '@roster/contracts/usage/usage';
import { browserLocale } from '#web/lib/browser-locale.ts';
import { answer, refusal } from './answers.ts';

/** The date in all fixtures. */
export const fixtureDate = '2026-11-02T09:30:00.000Z';

export const person: User = {
  id: 7,
  email: 'person@example.com',
  name: null,
  role: 'Editor',
  status: 'Active',
  hasPassword: true,
  emailVerified: false,
  createdAt: fixtureDate,
};

export const noKey: UserConfig = {
  hasApiKey: false,
  apiKeyAddedAt: null,
  apiKeyLast4: null,
  apiKeyVerified: false,
  apiKeyNotice: null,
};
export const savedKey: UserConfig = {
  hasApiKey: true,
  apiKeyAddedAt: fixtureDate,
  apiKeyLast4: '4321',
  apiKeyVerified: true,
  apiKeyNotice: null,
};

export const signInOptions: SignInOptions = {
  registration: 'open',
  setupCodeRequired: false,
  hasAccounts: true,
  passwordLogin: true,
  google: false,
  github: false,
  mail: true,
  provider: { name: 'OpenAI', isOpenAi: true },
};

export const model = (id: string, more: Partial<Model> = {}): Model => ({
  id,
  shutdownDate: null,
  lifecycle: 'current',
  successor: null,
  price: null,
  temperature: 'yes',
  efforts: [],
  contextTokens: 128_000,
  tuned: false,
  goodFor: null,
  marks: [],
  ...more,
});

export const endingModel = (id: string, more: Partial<RetiringModel> = {}): RetiringModel => ({
  model: id,
  shutdownDate: '2027-01-14',
  source: 'provider',
  asOf: '2026-11-02',
  lifecycle: 'ending',
  successor: 'gpt-6.1-terra',
  assistants: [],
  assistantCount: 0,
  conversations: 0,
  tunedModels: [],
  tunedModelCount: 0,
  usage: { requests: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, costUsd: 0, costAfterUsd: 0 },
  ...more,
});

export const modelList = (...list: Model[]): ModelList => ({
  source: 'provider',
  notice: null,
  models: list,
  defaultModel: list[0]?.id ?? 'gpt-4o',
  connections: [],
});

export const connection = (id: number, name: string, ...list: Model[]): ConnectionModels => ({
  id,
  name,
  preset: 'ollama',
  models: list,
  notice: null,
});

export const noFigures: Figures = {
  requests: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
  unpricedRequests: 0,
  estimatedRequests: 0,
};

const dayMs = 86_400_000;
const dayAt = (from: string, index: number) => new Date(Date.parse(from) + index * dayMs).toISOString().slice(0, 10);

/** Analytics for days without usage. */
export const noUsage = ({ from, to }: { from: string; to: string }): Analytics => ({
  totals: noFigures,
  previous: { ...noFigures, from: dayAt(from, -daysBetween({ from, to })), to: dayAt(from, -1) },
  byDay: Array.from({ length: daysBetween({ from, to }) }, (_, index) => ({ ...noFigures, day: dayAt(from, index) })),
  byModel: [],
  byAssistant: [],
  byTool: [],
  fineTuning: [],
  storage: null,
  byAccessToken: [],
  recent: [],
});

export const noSecondFactor: SecondFactorState = {
  app: null,
  passkeys: 0,
  recoveryCodesLeft: 0,
  required: false,
  dueAt: null,
};

const notConnected = { connected: false, email: null };
const noItems = { items: [], nextCursor: null };

/** Answers everything the pages request as for a new account; without a user, as for a visitor. */
export function answerNewAccount(user: User | null): void {
  answer(auth.options, signInOptions);
  answer(auth.currentUser, user ?? refusal('not_signed_in', 'Please sign in.'));
  answer(auth.connectedAccounts, { google: notConnected, github: notConnected });
  answer(passkeys.list, { passkeys: [], proposedName: 'Chrome on Linux' });
  // The browser suggests no passkeys.
  answer(passkeys.signInOptions, refusal('unavailable', 'Not now.'));
  answer(secondFactor.state, noSecondFactor);
  answer(account.version, { version: '1.2.3' });
  answer(account.config, noKey);
  answer(apiTokens.list, []);
  answer(connections.list, { policy: 'listed', connections: [], offered: [] });
  answer(account.preferences, { ...defaultPreferences, ...browserLocale() });
  answer(account.saveLocale, undefined);
  answer(account.notices, []);
  answer(account.securityEvents, noItems);
  answer(assistants.list, []);
  answer(models.list, { source: 'unknown', notice: null, models: [], defaultModel: 'gpt-4o', connections: [] });
  answer(modelChoices.choices, noModelChoices);
  answer(modelChoices.save, ({ body: { favorites = [], hidden = [], recent = [] } }) => ({
    favorites,
    hidden,
    recent,
  }));
  answer(modelRetirement.list, { items: [] });
  answer(models.tools, { webSearch: null, codeInterpreter: null, imageGeneration: null, notice: null });
  answer(toolServers.chosen, []);
  answer(chat.threads, noItems);
  answer(projects.list, { items: [] });
  answer(files.list, []);
  answer(files.summary, { totalFiles: 0, storageUsedBytes: 0, filesUsedByAi: 0 });
  answer(files.removals, []);
  answer(usage.analytics, ({ query }) => noUsage(query));
  answer(usage.assistants, []);
  answer(usage.requests, noItems);
  answer(usage.byProject, { items: [] });
  answer(usage.prices, []);
  answer(usage.budgets, []);
  answer(usage.projectBudgets, []);
  answer(usage.adminKey, { hasAdminKey: false, last4: null, addedAt: null, notice: null });
  answer(fineTuning.jobs, []);
  answer(fineTuning.customModels, []);
  answer(fineTuning.baseModels, refusal('no_api_key', 'An API key is required.'));
  answer(fineTuning.places, { items: [] });
  answer(datasets.list, noItems);
  answer(comparisons.list, noItems);
}
