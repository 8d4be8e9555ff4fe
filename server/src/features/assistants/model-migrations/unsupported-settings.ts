import type { AssistantSettings } from '@roster/contracts/assistants/assistants';
import type { UnsupportedSetting } from '@roster/contracts/assistants/model-migrations';
import type { Catalogue } from '#server/provider/catalogue/catalogue';

type Settings = Pick<AssistantSettings, 'model' | 'temperature' | 'reasoningEffort'>;

/**
 * Lists settings that have an effect with the old model and are not accepted by the new one. An effort that the new
 * model does not accept is always listed.
 */
export const unsupportedSettings =
  (catalogue: Pick<Catalogue, 'parameters'>, toModel: string) =>
  ({ model, temperature, reasoningEffort: effort }: Settings): UnsupportedSetting[] => {
    const before = catalogue.parameters(model, { temperature, effort });
    const after = catalogue.parameters(toModel, { temperature, effort });
    return [
      ...(before.temperature !== null && after.temperature === null ? (['temperature'] as const) : []),
      ...(effort !== null && after.effort === null ? (['reasoningEffort'] as const) : []),
    ];
  };
export type UnsupportedSettings = typeof unsupportedSettings;
