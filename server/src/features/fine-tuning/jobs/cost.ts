import type { Catalogue } from '#server/provider/catalogue/catalogue';

/** USD of a training; null where nobody knows. */
export function trainingCost(
  catalogue: Pick<Catalogue, 'trainingPrice'>,
  baseModel: string,
  trainedTokens: number | null | undefined,
): number | null {
  const price = catalogue.trainingPrice(baseModel);
  return price === null || trainedTokens === null || trainedTokens === undefined
    ? null
    : (trainedTokens * price) / 1_000_000;
}
