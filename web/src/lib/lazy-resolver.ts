import type { FieldValues, Resolver } from 'react-hook-form';
import { preloadOnceUsable } from './preload.ts';

/**
 * A form's check that is loaded beside the page instead of before it: right after the page's own code, at the latest
 * when the form is sent. For pages that are a first visit's, because schemas bring all of Zod along.
 */
export function lazyResolver<Values extends FieldValues, Context, Output>(
  load: () => Promise<Resolver<Values, Context, Output>>,
): Resolver<Values, Context, Output> {
  preloadOnceUsable(load);
  return async (values, context, options) => (await load())(values, context, options);
}
