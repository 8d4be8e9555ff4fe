import type { Catalogue } from '#server/provider/catalogue/catalogue';

/** Cost of a training in USD; null if it is unknown. */
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
