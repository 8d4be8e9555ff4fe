import { lazyPart } from '#web/lib/lazy.ts';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';

/** Loaded when it is first needed: most sign-ins have one step. */
export const SecondStep = lazyPart(async () => (await import('./second-step.tsx')).SecondStep, {
  pending: () => <SpinnerPanel label="Loading the second step" className="min-h-72" />,
});
