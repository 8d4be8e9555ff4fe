import { createHash } from 'node:crypto';
import { invalidRequest } from '../http/errors.ts';
import {
  bodyObject,
  type JsonObject,
  metadataOf,
  oneOf,
  optionalList,
  optionalNumber,
  optionalObject,
  optionalString,
  refuseUnknown,
  requiredString,
} from '../http/fields.ts';
import { TRAINABLE } from '../models/line-up.ts';
import type { Account, Hyperparameters, JobRecord } from '../state/account.ts';
import { newId, shortId } from '../state/identifiers.ts';
import type { World } from '../world.ts';
import { inspect, type TrainingMethod } from './training-file.ts';

const KNOWN = new Set([
  'hyperparameters',
  'integrations',
  'metadata',
  'method',
  'model',
  'seed',
  'suffix',
  'training_file',
  'validation_file',
]);

function baseFor(account: Account, model: string): string {
  const base = Object.hasOwn(TRAINABLE, model) ? TRAINABLE[model] : undefined;
  if (base !== undefined) return base;
  const tuned = account.models.find((candidate) => candidate.id === model);
  if (tuned !== undefined) return tuned.base;
  const message = `Model ${model} is not available for fine-tuning or does not exist.`;
  throw invalidRequest(message, 'model', 'model_not_available');
}

function checkFile(account: Account, id: string, param: string): string {
  const file = account.files.find((candidate) => candidate.id === id);
  if (file === undefined) throw invalidRequest(`File '${id}' does not exist.`, param, 'invalid_file');
  if (file.purpose !== 'fine-tune') {
    const message = `The ${param} '${id}' has purpose '${file.purpose}', but must have purpose 'fine-tune'.`;
    throw invalidRequest(message, param, 'invalid_file_purpose');
  }
  return id;
}

function checkSuffix(body: JsonObject): string {
  const suffix = optionalString(body, 'suffix') ?? '';
  if (suffix.length <= 64) return suffix;
  const message = `Invalid 'suffix': string too long. Expected a string with maximum length 64, but got a string with length ${suffix.length} instead.`;
  throw invalidRequest(message, 'suffix', 'string_above_max_length');
}

function readMethod(body: JsonObject): { type: TrainingMethod; requested: JsonObject } {
  const method = optionalObject(body, 'method');
  if (method === undefined) {
    return { type: 'supervised', requested: optionalObject(body, 'hyperparameters') ?? {} };
  }
  const type = oneOf(method, 'type', ['supervised', 'dpo'] as const) ?? 'supervised';
  return { type, requested: optionalObject(optionalObject(method, type) ?? {}, 'hyperparameters') ?? {} };
}

const AUTO_BATCHES = 100;

function decide(requested: JsonObject, examples: number): { requested: JsonObject; used: Hyperparameters } {
  const given = (name: string, max: number, integer: boolean) =>
    requested[name] === 'auto' ? undefined : optionalNumber(requested, name, { min: integer ? 1 : 0, max, integer });
  const epochs = given('n_epochs', 50, true);
  const batch = given('batch_size', 256, true);
  const rate = given('learning_rate_multiplier', 100, false);
  return {
    requested: {
      ...requested,
      n_epochs: epochs ?? 'auto',
      batch_size: batch ?? 'auto',
      learning_rate_multiplier: rate ?? 'auto',
    },
    used: {
      n_epochs: epochs ?? 3,
      batch_size: batch ?? Math.max(1, Math.round(examples / AUTO_BATCHES)),
      learning_rate_multiplier: rate ?? 2,
    },
  };
}

async function textOf(world: World, id: string): Promise<string> {
  return (await world.accounts.readFile(id))?.toString('utf8') ?? '';
}

/** The provider draws a seed if none is given; ours follows from the job, so that its curve is reproducible. */
function seedFor(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE() % 2_147_483_647;
}

export async function createJob(world: World, account: Account, raw: unknown): Promise<JobRecord> {
  const body = bodyObject(raw);
  refuseUnknown(body, KNOWN);
  const model = baseFor(account, requiredString(body, 'model'));
  const trainingFile = checkFile(account, requiredString(body, 'training_file'), 'training_file');
  const validation = optionalString(body, 'validation_file');
  const validationFile = validation === undefined ? null : checkFile(account, validation, 'validation_file');
  const method = readMethod(body);
  const inspection = inspect(await textOf(world, trainingFile), method.type);
  const { requested, used } = decide(method.requested, inspection.examples);
  const id = newId('ftjob-');
  return {
    id,
    createdMs: world.clock.now(),
    model,
    trainingFile,
    validationFile,
    suffix: checkSuffix(body),
    seed: optionalNumber(body, 'seed', { min: 0, max: 2_147_483_647, integer: true }) ?? seedFor(id),
    metadata: metadataOf(body),
    integrations: optionalList(body, 'integrations') ?? [],
    methodType: method.type,
    hyperparameters: used,
    requested,
    examples: inspection.examples,
    tokens: inspection.tokens,
    invalid: inspection.invalid,
    cancelledMs: null,
    pausedMs: null,
    restedMs: 0,
    modelEnding: shortId(),
    resultFile: null,
  };
}
