import type { RetiringModel } from '@roster/contracts/models/retirement';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { StoredModelList } from './list-repository.ts';

export type RetirementDate = Pick<
  RetiringModel,
  'model' | 'shutdownDate' | 'source' | 'asOf' | 'lifecycle' | 'successor'
>;

/** A model and, if it is fine-tuned, the base model with which it retires. */
export type NamedModel = { model: string; baseModel?: string | undefined };

type Sources = {
  catalogue: Pick<Catalogue, 'describe' | 'asOf'>;
  /** null: never read. */
  list: StoredModelList | null;
  /** YYYY-MM-DD. */
  today: string;
};

/** A model trained from a fine-tuned model retires with the latter’s base. */
const rootBaseModel = (baseModel: string) =>
  baseModel.startsWith('ft:') ? (baseModel.split(':')[1] ?? baseModel) : baseModel;

/**
 * When a model retires and who says so; null: not within 90 days, as far as is known. The catalogue alone does not
 * retire a model that the provider still lists: another provider may continue to serve it.
 */
export function retirementOf(
  { catalogue, list, today }: Sources,
  { model, baseModel }: NamedModel,
): RetirementDate | null {
  const trainedFrom = baseModel === undefined ? undefined : rootBaseModel(baseModel);
  const listed = list?.models.get(trainedFrom ?? model);
  const given = listed?.shutdownDate ?? null;
  const described = catalogue.describe(trainedFrom === undefined ? model : `ft:${trainedFrom}`, given, today);
  const { shutdownDate, lifecycle, successor } = described;
  if (shutdownDate === null || lifecycle === 'current') return null;
  if (list && given !== null)
    return { model, shutdownDate, source: 'provider', asOf: list.askedAt.slice(0, 10), lifecycle, successor };
  if (list && listed?.isListed && list.askedAt.slice(0, 10) >= shutdownDate) return null;
  return { model, shutdownDate, source: 'catalogue', asOf: catalogue.asOf, lifecycle, successor };
}

/** Soonest retirement first. */
export const bySoonestRetirement = (a: RetirementDate, b: RetirementDate) =>
  a.shutdownDate.localeCompare(b.shutdownDate) || a.model.localeCompare(b.model);
