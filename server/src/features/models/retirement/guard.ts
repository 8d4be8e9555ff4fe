import { dayOf } from '@roster/contracts/usage/day';
import { AppError } from '#server/lib/errors';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { ProviderModel } from '#server/provider/provider';
import { type NamedModel, type RetirementDate, retirementOf } from './dates.ts';
import type { ModelListRepository, StoredModelList } from './list-repository.ts';

type Dependencies = {
  catalogue: Catalogue;
  lists: Pick<ModelListRepository, 'findOf'>;
  /** The list where it was read a moment ago. */
  lately: (userId: number) => readonly ProviderModel[] | undefined;
  baseUrl: string;
  /** What answers where nobody has chosen, as long as it is there. */
  usual: string;
  now: () => number;
};

const longDay = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

/** A tuned model says by its name what it was trained from. */
function parseModelName(model: string): NamedModel {
  const [mark, baseModel] = model.split(':');
  return mark === 'ft' && baseModel ? { model, baseModel } : { model };
}

const toStoredList = (list: readonly ProviderModel[], day: string): StoredModelList => ({
  askedAt: day,
  models: new Map(list.map(({ id, shutdownDate }) => [id, { shutdownDate, isListed: true }])),
});

/** Models that are known to have ended, so that nobody is asked in vain. */
export function retirementGuard({ catalogue, lists, lately, baseUrl, usual, now }: Dependencies) {
  /** Known by the provider's list: its date has come, or the catalogue's has, and a list of since then lacks the model. */
  async function find(userId: number, model: string): Promise<RetirementDate | null> {
    const today = dayOf(now());
    const named = parseModelName(model);
    const fresh = lately(userId);
    const list = fresh
      ? toStoredList(fresh, today)
      : await lists.findOf(userId, baseUrl, named.baseModel ?? named.model);
    const end = retirementOf({ catalogue, list, today }, named);
    if (end?.lifecycle !== 'gone') return null;
    const isKnown = end.source === 'provider' || (list !== null && list.askedAt.slice(0, 10) >= end.shutdownDate);
    return isKnown ? end : null;
  }

  async function refuse(userId: number, models: Iterable<string>) {
    for (const model of new Set(models)) {
      const end = await find(userId, model);
      if (!end) continue;
      const next = end.successor === null ? 'Choose' : `Continue with ${end.successor}, or choose`;
      throw new AppError(
        'model_ended',
        `${model} has ended on ${longDay.format(new Date(end.shutdownDate))}. ${next} another model.`,
      );
    }
  }

  return {
    /** @throws model_ended. Nobody is asked. */
    refuse,
    /**
     * Refuses what nobody has chosen where it would silently be another model than before: the usual one has ended, and
     * `lastModel`, which has answered last, too.
     */
    async refuseUsual(userId: number, lastModel: () => Promise<string | null>) {
      if (!(await find(userId, usual))) return;
      const last = await lastModel();
      if (last !== null) await refuse(userId, [last]);
    },
  };
}

export type RetirementGuard = ReturnType<typeof retirementGuard>;
