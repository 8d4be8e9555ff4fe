import type { RetiringModel } from '@roster/contracts/models/retirement';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { StoredModelList } from './list-repository.ts';

export type RetirementDate = Pick<
  RetiringModel,
  'model' | 'shutdownDate' | 'source' | 'asOf' | 'lifecycle' | 'successor'
>;

/** A model; of a tuned one also what it was trained from, which it ends with. */
export type NamedModel = { model: string; baseModel?: string | undefined };

type Sources = {
  catalogue: Pick<Catalogue, 'describe' | 'asOf'>;
  /** null: never read. */
  list: StoredModelList | null;
  /** YYYY-MM-DD. */
  today: string;
};

/** What was trained further from a tuned model ends with that one's base. */
const rootBaseModel = (baseModel: string) =>
  baseModel.startsWith('ft:') ? (baseModel.split(':')[1] ?? baseModel) : baseModel;

/**
 * When a model ends and who says so; null: it does not within 90 days, as far as is known. The catalogue alone does not end
 * a model that the provider still lists: another provider may go on with it.
 */
export function retirementOf(
  { catalogue, list, today }: Sources,
  { model, baseModel }: NamedModel,
): RetirementDate | null {
  const trainedFrom = baseModel === undefined ? undefined : rootBaseModel(baseModel);
  const listed = list?.models.get(trainedFrom ?? model);
  const given = listed?.shutdownDate ?? null;
  const known = catalogue.describe(trainedFrom === undefined ? model : `ft:${trainedFrom}`, given, today);
  const { shutdownDate, lifecycle, successor } = known;
  if (shutdownDate === null || lifecycle === 'current') return null;
  if (list && given !== null)
    return { model, shutdownDate, source: 'provider', asOf: list.askedAt.slice(0, 10), lifecycle, successor };
  if (list && listed?.isListed && list.askedAt.slice(0, 10) >= shutdownDate) return null;
  return { model, shutdownDate, source: 'catalogue', asOf: catalogue.asOf, lifecycle, successor };
}

/** What ends first comes first. */
export const bySoonestRetirement = (a: RetirementDate, b: RetirementDate) =>
  a.shutdownDate.localeCompare(b.shutdownDate) || a.model.localeCompare(b.model);
