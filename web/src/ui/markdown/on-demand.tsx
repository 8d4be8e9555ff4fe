import { type ComponentType, lazy } from 'react';

/**
 * A part whose code is loaded when it is first shown. Where the code cannot be loaded (offline, or Roster was updated
 * meanwhile) the plain form takes its place, so that the text is always there.
 */
export function onDemand<Props extends object>(load: () => Promise<ComponentType<Props>>, plain: ComponentType<Props>) {
  return lazy(async () => {
    try {
      return { default: await load() };
    } catch {
      return { default: plain };
    }
  });
}
