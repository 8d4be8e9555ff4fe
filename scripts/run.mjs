import { spawn } from 'node:child_process';
import { environment, node, root } from './install.mjs';

/** Starts a program on the pinned Node.js. */
export function run(args, { env = {}, stdio = 'inherit', cwd = root } = {}) {
  return spawn(node, args, { cwd, env: { ...environment(), ...env }, stdio });
}

/**
 * Forwards signals to the programs, ends them together, and exits with the code of the first that ends. Returns a
 * signal that is aborted once they are to end. An interrupted command has not done its work, so it fails.
 */
export function followAll(children, { isCommand = false } = {}) {
  const ending = new AbortController();
  const stop = (signal) => {
    ending.abort();
    for (const child of children) if (child.exitCode === null) child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal));
  let code;
  for (const child of children)
    child.on('exit', (exitCode, signal) => {
      // Vite reports the signal that ended it by its exit code; whichever program ends first, being told to is not a
      // failure.
      const wasSignaled = signal === 'SIGINT' || signal === 'SIGTERM' || exitCode === 128 + 2 || exitCode === 128 + 15;
      code ??= wasSignaled && !isCommand ? 0 : (exitCode ?? 1);
      stop('SIGTERM');
      if (children.every((other) => other.exitCode !== null || other.signalCode !== null)) process.exit(code);
    });
  return ending.signal;
}
