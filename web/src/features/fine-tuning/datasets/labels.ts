import type { Dataset, DatasetExample, DatasetFormat } from '@roster/contracts/fine-tuning/datasets';
import type { BadgeTone } from '#web/ui/badge.tsx';

/** The provider's minimum for training. */
export const minExamples = 10;

export const formatNames: Record<DatasetFormat, string> = { chat: 'Chat', preference: 'Preference' };

export const reviewWords: Record<DatasetExample['review'], { name: string; tone: BadgeTone }> = {
  unreviewed: { name: 'Unreviewed', tone: 'neutral' },
  kept: { name: 'Kept', tone: 'success' },
  left_out: { name: 'Left out', tone: 'warning' },
};

/** Number of examples a training file would contain. */
export const includedCount = ({ kept, unreviewed }: Dataset) => kept + unreviewed;
