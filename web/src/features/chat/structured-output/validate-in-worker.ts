import type { ValidationInput, ValidationResult } from './validate-answer.ts';
import workerAddress from './validation-worker.ts?worker&url';

/**
 * A second, for a pattern that would try for years; what is well meant takes some milliseconds. Counted by ticks of the
 * page, so that on a machine that is busy with other things the second is longer for both.
 */
const [checkLimitTicks, tickMs] = [10, 100];
const loadLimitMs = 15_000;

type Policy = { createScriptURL: (address: string) => URL };
declare global {
  interface Window {
    /** TypeScript does not know it: with `require-trusted-types-for`, a browser starts only what a policy has named. */
    trustedTypes?: { createPolicy: (name: string, rules: { createScriptURL: () => string }) => Policy };
  }
}

// Whatever it is asked for, it names the one script that there is.
const policy = window.trustedTypes?.createPolicy('form-check', { createScriptURL: () => workerAddress });

const startWorker = () => new Worker(policy?.createScriptURL(workerAddress) ?? workerAddress, { type: 'module' });

/** Whether an answer keeps to its schema, found out beside the page, which goes on meanwhile. */
export function validateInWorker(order: ValidationInput, signal: AbortSignal): Promise<ValidationResult> {
  return new Promise((resolve) => {
    const worker = startWorker();
    const loading = setTimeout(() => end({ state: 'failed' }), loadLimitMs);
    let ticks = 0;
    let ticking: ReturnType<typeof setInterval> | undefined;
    function end(outcome: ValidationResult) {
      clearTimeout(loading);
      clearInterval(ticking);
      worker.terminate();
      resolve(outcome);
    }
    worker.onmessage = ({ data }: MessageEvent<'ready' | ValidationResult>) => {
      if (data !== 'ready') return end(data);
      clearTimeout(loading);
      ticking = setInterval(() => ++ticks >= checkLimitTicks && end({ state: 'late' }), tickMs);
      worker.postMessage(order);
    };
    worker.onerror = () => end({ state: 'failed' });
    signal.addEventListener('abort', () => end({ state: 'failed' }), { once: true });
  });
}
