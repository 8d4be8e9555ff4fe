import { type InstallationRetiringModel, retiringModelLimit } from '@roster/contracts/models/retirement';
import { dayOf } from '@roster/contracts/usage/day';
import { usageComparisonStart } from '@roster/contracts/usage/usage';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import { retirementOf } from './dates.ts';
import type { InstallationUseRepository } from './installation-repository.ts';
import type { StoredModelList } from './list-repository.ts';
import { activeThreadMs } from './notification-repository.ts';

type Dependencies = {
  use: InstallationUseRepository;
  catalogue: Pick<Catalogue, 'describe' | 'asOf'>;
  baseUrl: string;
  now: () => number;
};

/** Retiring models with their usage across the installation, as numbers only. */
export async function installationRetirements({
  use,
  catalogue,
  baseUrl,
  now,
}: Dependencies): Promise<InstallationRetiringModel[]> {
  const [used, dates] = await Promise.all([
    use.byModel(usageComparisonStart(now()), new Date(now() - activeThreadMs).toISOString()),
    use.dates(baseUrl),
  ]);
  const lists = new Map(
    dates.map(({ model, askedAt, shutdownDate, isListed }): [string, StoredModelList] => [
      model,
      { askedAt, models: new Map([[model, { shutdownDate, isListed }]]) },
    ]),
  );
  return used
    .flatMap(({ model, isTuned, assistants, people, calls }) => {
      const sources = { catalogue, list: lists.get(model) ?? null, today: dayOf(now()) };
      const end = retirementOf(sources, isTuned ? { model, baseModel: model } : { model });
      return end ? [{ ...end, isTuned, assistants, people, calls }] : [];
    })
    .sort(
      (a, b) => a.shutdownDate.localeCompare(b.shutdownDate) || b.people - a.people || a.model.localeCompare(b.model),
    )
    .slice(0, retiringModelLimit);
}
