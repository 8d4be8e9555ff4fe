import { connectionIdOf, modelIdOf } from '@roster/contracts/models/model-reference';
import { dayOf } from '@roster/contracts/usage/day';
import { AppError } from '#server/lib/errors';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { ProviderModel } from '#server/provider/provider';
import { type NamedModel, type RetirementDate, retirementOf } from './dates.ts';
import type { ModelListRepository, StoredModelList } from './list-repository.ts';

type Dependencies = {
  catalogue: Catalogue;
  lists: Pick<ModelListRepository, 'findOf'>;
  /** The list if it was read within the last minutes. */
  lately: (userId: number) => readonly ProviderModel[] | undefined;
  baseUrl: string;
  /** The default model, which answers if none was chosen and it is available. */
  usual: string;
  now: () => number;
};

const longDay = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

/** The name of a fine-tuned model contains its base model. */
function parseModelName(model: string): NamedModel {
  const [mark, baseModel] = model.split(':');
  return mark === 'ft' && baseModel ? { model, baseModel } : { model };
}

const toStoredList = (list: readonly ProviderModel[], day: string): StoredModelList => ({
  askedAt: day,
  models: new Map(list.map(({ id, shutdownDate }) => [id, { shutdownDate, isListed: true }])),
});

/** Rejects models that are known to be retired, without asking the provider. */
export function retirementGuard({ catalogue, lists, lately, baseUrl, usual, now }: Dependencies) {
  /**
   * A model counts as retired if the provider’s date has passed, or if the catalogue’s date has passed and a list read
   * since then lacks the model.
   */
  async function find(userId: number, model: string): Promise<RetirementDate | null> {
    // The lists and dates are those of the installation’s provider.
    if (connectionIdOf(model) !== null) return null;
    const today = dayOf(now());
    const named = parseModelName(model);
    const fresh = lately(userId);
    const list = fresh
      ? toStoredList(fresh, today)
      : await lists.findOf(userId, baseUrl, named.baseModel ?? named.model);
    const end = retirementOf({ catalogue, list, today }, named);
    if (end?.lifecycle !== 'gone') return null;
    const isCertain = end.source === 'provider' || (list !== null && list.askedAt.slice(0, 10) >= end.shutdownDate);
    return isCertain ? end : null;
  }

  async function refuse(userId: number, models: Iterable<string>) {
    for (const model of new Set(models)) {
      const end = await find(userId, model);
      if (!end) continue;
      const next = end.successor === null ? 'Choose' : `Continue with ${end.successor}, or choose`;
      throw new AppError(
        'model_ended',
        `${modelIdOf(model)} retired on ${longDay.format(new Date(end.shutdownDate))}. ${next} another model.`,
      );
    }
  }

  return {
    /**
     * Does not ask the provider.
     * @throws model_ended
     */
    refuse,
    /**
     * Rejects a default that would silently be another model than before: both the default model and `lastModel`, which
     * answered last, are retired.
     */
    async refuseUsual(userId: number, lastModel: () => Promise<string | null>) {
      if (!(await find(userId, usual))) return;
      const last = await lastModel();
      if (last !== null) await refuse(userId, [last]);
    },
  };
}

export type RetirementGuard = ReturnType<typeof retirementGuard>;
