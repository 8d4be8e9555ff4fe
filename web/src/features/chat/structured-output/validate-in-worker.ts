import type { ValidationInput, ValidationResult } from './validate-answer.ts';
import workerAddress from './validation-worker.ts?worker&url';

/**
 * Time limit for patterns with catastrophic backtracking; normal checks take milliseconds. Counted in timer ticks of
 * the page, so that a busy machine extends it.
 */
const [checkLimitTicks, tickMs] = [10, 100];
const loadLimitMs = 15_000;

type Policy = { createScriptURL: (address: string) => URL };
declare global {
  interface Window {
    /**
     * Missing in TypeScript's types: with `require-trusted-types-for`, workers can only be started through a policy.
     */
    trustedTypes?: { createPolicy: (name: string, rules: { createScriptURL: () => string }) => Policy };
  }
}

// The policy always returns the one worker script.
const policy = window.trustedTypes?.createPolicy('form-check', { createScriptURL: () => workerAddress });

const startWorker = () => new Worker(policy?.createScriptURL(workerAddress) ?? workerAddress, { type: 'module' });

/** Validates an answer against its schema in a worker, so that the page stays responsive. */
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
