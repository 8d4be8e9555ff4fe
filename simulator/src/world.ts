import type { AgentSeed, AssistantSeed } from './assistants/seeds.ts';
import type { Containers } from './containers/containers.ts';
import type { FaultList } from './faults/fault-list.ts';
import type { Script } from './generation/script.ts';
import type { Journal } from './http/journal.ts';
import type { Ledger } from './organization/ledger.ts';
import type { Accounts } from './state/accounts.ts';
import type { Clock } from './state/clock.ts';

/** A part of the API that can be left out, named by the first part of its path. */
export const API_PARTS = [
  'models',
  'responses',
  'chat',
  'completions',
  'embeddings',
  'moderations',
  'images',
  'audio',
  'files',
  'vector_stores',
  'containers',
  'fine_tuning',
  'assistants',
  'agents',
  'organization',
] as const;
export type ApiPart = (typeof API_PARTS)[number];

type Settings = {
  tokenDelayMs: number;
  jobStepMs: number;
  /** YYYY-MM-DD: models that have ended by then do not exist; null: none has ended. */
  day: () => string | null;
  shutdownDays: 'announced' | 'far';
  maxFileBytes: number;
  without: ReadonlySet<string>;
  assistants: readonly AssistantSeed[];
  agents: readonly AgentSeed[];
  script: Script;
};

/** Everything that the routes share. */
export type World = {
  settings: Settings;
  clock: Clock;
  accounts: Accounts;
  ledger: Ledger;
  containers: Containers;
  faults: FaultList;
  journal: Journal;
  /** Messages whose one-time fault has happened. */
  sufferedOnce: Set<string>;
};
