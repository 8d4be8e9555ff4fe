import type { JsonObject, Metadata } from '../http/fields.ts';

export type FilePurpose = 'assistants' | 'batch' | 'fine-tune' | 'vision' | 'user_data' | 'evals' | 'fine-tune-results';

export type FileRecord = {
  id: string;
  object: 'file';
  bytes: number;
  created_at: number;
  expires_at?: number;
  filename: string;
  purpose: FilePurpose;
  status: 'processed';
};

type TunedModel = { id: string; created: number; base: string };

export type Attributes = { [name: string]: string | number | boolean };

export type VectorStoreFile = {
  file_id: string;
  created_at: number;
  addedMs: number;
  /** Missing in state of an earlier version. */
  attributes?: Attributes;
  chunking?: JsonObject;
  cancelled?: boolean;
};

export type FileBatchRecord = { id: string; created_at: number; files: string[]; cancelled: boolean };

export type VectorStoreRecord = {
  id: string;
  created_at: number;
  name: string;
  metadata: Metadata;
  files: VectorStoreFile[];
  batches?: FileBatchRecord[];
  expiresAfterDays?: number | null;
};

export type StoredResponse = {
  id: string;
  response: JsonObject;
  input: unknown[];
  /** Input and output together, which a later response in the chain is charged for. */
  tokens: number;
  /** For a background response: when it will be ready, and when it was cancelled. */
  startedMs: number;
  readyMs: number;
  cancelledMs: number | null;
};

export type Hyperparameters = { n_epochs: number; batch_size: number; learning_rate_multiplier: number };

export type JobRecord = {
  id: string;
  createdMs: number;
  model: string;
  trainingFile: string;
  validationFile: string | null;
  suffix: string;
  seed: number;
  metadata: Metadata;
  integrations: unknown[];
  methodType: 'supervised' | 'dpo';
  hyperparameters: Hyperparameters;
  /** As requested, including `auto`, as the job object repeats it. */
  requested: JsonObject;
  examples: number;
  tokens: number;
  invalid: { code: string; message: string; param: string } | null;
  cancelledMs: number | null;
  pausedMs: number | null;
  /** Time spent paused before the current pause. */
  restedMs: number;
  modelEnding: string;
  /** Set when its result file and model were delivered. */
  resultFile: string | null;
};

export type AccountState = {
  files: FileRecord[];
  jobs: JobRecord[];
  models: TunedModel[];
  vectorStores: VectorStoreRecord[];
  responses: StoredResponse[];
};

/** The objects of one key. */
export type Account = AccountState & {
  /** The key's fingerprint; the key itself is never stored. */
  id: string;
};

export function emptyAccount(id: string): Account {
  return { id, files: [], jobs: [], models: [], vectorStores: [], responses: [] };
}
