import { z } from 'zod';
import { endpoint, Id, PathId, positiveInteger, Time } from '../endpoint.ts';
import { ModelText } from '../model-text.ts';
import { UsageComparison } from '../usage/usage.ts';
import type { assistantFieldNames } from './assistants.ts';

/** At most this many assistants are migrated at once, in one transaction. Further ones need another migration. */
export const migrationLimit = 2_000;
export const migrationSelectionLimit = 1_000;

/**
 * Settings that a model may not accept. A temperature stays with the assistant and is not sent; an effort is removed.
 */
export const UnsupportedSetting = z.enum([
  'temperature',
  'reasoningEffort',
] satisfies (typeof assistantFieldNames)[number][]);
export type UnsupportedSetting = z.output<typeof UnsupportedSetting>;

const Label = z.object({ id: Id, name: z.string() });
/** An assistant left unchanged by a migration or its undo, with its current model. */
export const UnchangedAssistant = Label.extend({ model: z.string() });
export type UnchangedAssistant = z.output<typeof UnchangedAssistant>;

export const MigrationPlan = z.object({
  /** How many assistants use the model. */
  count: z.number().int(),
  /** The newest 200 of them, with their settings that the new model does not accept. */
  assistants: z.array(Label.extend({ notTaken: z.array(UnsupportedSetting) })),
  /** Counted over all assistants with the model. */
  withoutTemperature: z.number().int(),
  withoutEffort: z.number().int(),
  usage: UsageComparison,
});
export type MigrationPlan = z.output<typeof MigrationPlan>;

export const ModelMigration = z.object({
  id: Id,
  fromModel: z.string(),
  toModel: z.string(),
  /** The number of migrated assistants, and for how many of them the new model does not accept a setting. */
  moved: z.number().int(),
  withoutTemperature: z.number().int(),
  withoutEffort: z.number().int(),
  /** The newest five of them that still exist. */
  assistants: z.array(Label),
  createdAt: Time,
  undoneAt: Time.nullable(),
});
export type ModelMigration = z.output<typeof ModelMigration>;

export const CompletedMigration = ModelMigration.extend({
  /** Chosen assistants that use another model by now. */
  leftAlone: z.array(UnchangedAssistant),
  /** Assistants that still use the old model. */
  remaining: z.number().int(),
});
export type CompletedMigration = z.output<typeof CompletedMigration>;

export const UndoneMigration = ModelMigration.extend({
  /** Assistants that use the old model again. */
  undone: z.number().int(),
  /** Assistants whose model has been changed again since. */
  leftAlone: z.array(UnchangedAssistant),
});
export type UndoneMigration = z.output<typeof UndoneMigration>;

export const modelMigrations = {
  plan: endpoint({
    method: 'GET',
    path: '/api/assistants/move',
    access: 'user',
    summary:
      'Previews a migration from one model to another: the assistants, the settings that the new model does not support, and what the usage of the last 30 days would have cost with it.',
    query: z.strictObject({ fromModel: ModelText, toModel: ModelText }),
    output: MigrationPlan,
  }),
  move: endpoint({
    method: 'POST',
    path: '/api/assistants/move',
    access: 'editor',
    summary:
      'Migrates assistants from one model to another, all or none, each with a version; without `assistantIds` all that use the model, at most 2,000.',
    body: z.strictObject({
      fromModel: ModelText,
      toModel: ModelText,
      assistantIds: z
        .array(Id)
        .min(1, 'Please select at least one assistant')
        .max(migrationSelectionLimit, `At most ${migrationSelectionLimit} assistants can be chosen`)
        .optional(),
    }),
    output: CompletedMigration,
    status: 201,
  }),
  list: endpoint({
    method: 'GET',
    path: '/api/assistants/moves',
    access: 'user',
    summary: 'Lists the migrations of assistants to other models, newest first; the next page is in the Link header.',
    query: z.strictObject({ limit: positiveInteger(100).default(20), cursor: PathId.optional() }),
    output: z.array(ModelMigration),
  }),
  undo: endpoint({
    method: 'POST',
    path: '/api/assistants/move/:id/undo',
    access: 'editor',
    summary: 'Undoes a migration: its assistants use the old model again. Later changes stay, except to the model.',
    params: z.strictObject({ id: PathId }),
    output: UndoneMigration,
  }),
};
