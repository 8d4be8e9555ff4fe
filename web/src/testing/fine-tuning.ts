import type { BaseModel, CustomModel, Job } from '@roster/contracts/fine-tuning/jobs';
import { fixtureDate } from './new-account.ts';

export const job = (more: Partial<Job>): Job => ({
  id: 1,
  name: 'A job',
  baseModel: 'gpt-4.1-mini-2025-04-14',
  method: 'supervised',
  status: 'running',
  notice: null,
  errorCode: null,
  trainingFile: { id: 5, filename: 'examples.jsonl' },
  validationFile: null,
  dataset: null,
  hyperparameters: {},
  providerJobId: 'ftjob-1',
  tunedModel: null,
  trainedTokens: null,
  costUsd: null,
  cancelling: false,
  estimatedFinishAt: null,
  progress: null,
  createdAt: fixtureDate,
  finishedAt: null,
  ...more,
});

export const baseModel: BaseModel = {
  description: 'Small and quick',
  training_cost_per_1k: null,
  priceAsOf: null,
  methods: ['supervised'],
  shutdownDate: null,
};

export const tunedModel = (more: Partial<CustomModel> = {}): CustomModel => ({
  ...{ id: 9, name: 'Weather', baseModel: 'gpt-4.1-mini-2025-04-14', model: 'ft:gpt-4.1-mini-2025-04-14:me::1' },
  ...{ isActive: true, jobId: 1, jobName: 'Summer', dataset: null, step: null, end: null, createdAt: fixtureDate },
  ...more,
});
