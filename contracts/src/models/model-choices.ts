import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { modelReferenceLimit } from '../model-text.ts';

const references = (most: number) => z.array(z.string().min(1).max(modelReferenceLimit)).max(most);

/** The models shown as recently chosen. */
export const recentModelLimit = 5;

export const ModelChoices = z.object({
  favorites: z.array(z.string()),
  /** Not offered until they are shown again. */
  hidden: z.array(z.string()),
  /** The last chosen first. */
  recent: z.array(z.string()),
});
export type ModelChoices = z.output<typeof ModelChoices>;

export const noModelChoices: ModelChoices = { favorites: [], hidden: [], recent: [] };

export const modelChoices = {
  choices: endpoint({
    method: 'GET',
    path: '/api/model-choices',
    access: 'user',
    summary: 'Lists your favorite, hidden and recently used models.',
    output: ModelChoices,
  }),
  save: endpoint({
    method: 'PUT',
    path: '/api/model-choices',
    access: 'user',
    summary: 'Replaces the given lists. Lists that are left out stay unchanged.',
    body: z.strictObject({
      favorites: references(200).optional(),
      hidden: references(1_000).optional(),
      recent: references(recentModelLimit).optional(),
    }),
    output: ModelChoices,
  }),
};
