import type { TrainingReport } from '@roster/contracts/fine-tuning/training-files';
import type { Catalogue } from '#server/provider/catalogue/catalogue';

const usualEpochs = 3;
const fewestPasses = 100;
const mostPasses = 25_000;
const mostEpochs = 25;

/**
 * Likely choice of the provider for `auto`: three epochs, more for few examples and fewer for very many, so that 100 to
 * 25,000 examples are processed. The rule and its figures are those of the provider's cookbook,
 * examples/Chat_finetuning_data_prep.ipynb.
 */
function likelyEpochs(examples: number): number {
  if (examples === 0) return usualEpochs;
  if (examples * usualEpochs < fewestPasses) return Math.min(mostEpochs, Math.floor(fewestPasses / examples));
  if (examples * usualEpochs > mostPasses) return Math.max(1, Math.floor(mostPasses / examples));
  return usualEpochs;
}

type Training = { examples: number; tokens: number };
type TrainingOptions = { baseModel?: string | undefined; epochs?: number | undefined };

/** The provider bills the tokens of the training file once for each epoch. */
export function estimateOf(
  catalogue: Catalogue,
  training: Training,
  wanted: TrainingOptions,
): TrainingReport['estimate'] {
  const epochs = wanted.epochs ?? likelyEpochs(training.examples);
  const tokens = training.tokens * epochs;
  const price = wanted.baseModel === undefined ? null : catalogue.trainingPrice(wanted.baseModel);
  return {
    epochs,
    tokens,
    costUsd: price === null ? null : (tokens * price) / 1_000_000,
    pricePerMillionUsd: price,
    priceAsOf: price === null ? null : catalogue.asOf,
  };
}
