import { z } from 'zod';

/** A model as clients name it: `model` of the provider, or `name/model` of a connection. */
export const ModelName = z
  .string()
  .min(1)
  .max(600)
  .refine((name) => name.isWellFormed() && !name.includes('\0'), 'This is not the name of a model.');
