import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const root = dirname(import.meta.dirname);
export const cacheFolder = join(root, '.cache/bench');

export type Program = {
  name: string;
  child: ChildProcess;
  /** CPU time used so far by all threads, in milliseconds; NaN if the system does not report it. */
  cpuMs: () => number;
  /** Resident memory in bytes; NaN if the system does not report it. */
  resident: () => number;
  stop: () => Promise<void>;
  /** Ends it as a crash does. */
  kill: () => Promise<void>;
};

const running = new Set<ChildProcess>();
/** Also called when this process is told to end. */
export const endedAlso = new Set<() => Promise<void>>();

type Options = { env?: Record<string, string>; cwd?: string; ipc?: boolean };

/** Starts a program on the same Node.js. It ends with this process, however that ends. */
export function startProgram(
  name: string,
  args: string[],
  { env = {}, cwd = root, ipc = false }: Options = {},
): Program {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...surroundings(), ...env },
    stdio: ['ignore', 'ignore', 'inherit', ...(ipc ? ['ipc' as const] : [])],
  });
  running.add(child);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      if (running.delete(child) && code !== 0) console.error(`${name} ended by itself (${signal ?? `code ${code}`})`);
      resolve();
    });
  });
  return {
    name,
    child,
    cpuMs: () => cpuMs(child.pid ?? 0),
    resident: () => resident(child.pid ?? 0),
    async stop() {
      if (!running.delete(child)) return;
      child.kill('SIGTERM');
      const patience = setTimeout(() => child.kill('SIGKILL'), 600_000);
      await ended;
      clearTimeout(patience);
    },
    async kill() {
      if (!running.delete(child)) return;
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Without variables of a Roster configured in the shell: nothing here touches its data. */
function surroundings(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'NODE_OPTIONS', 'NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX'];
  return Object.fromEntries(kept.map((name) => [name, process.env[name]]));
}

/** Kills everything still running; nothing outlives the benchmark. */
export function endAll() {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
}

process.on('exit', endAll);

/** Nanoseconds from the scheduler, because the ticks of /proc/PID/stat are too coarse for a single stream. */
function cpuMs(pid: number): number {
  try {
    const folder = `/proc/${pid}/task`;
    return readdirSync(folder).reduce((sum, thread) => {
      const [ns] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ');
      return sum + Number(ns) / 1e6;
    }, 0);
  } catch {
    return Number.NaN;
  }
}

function resident(pid: number): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return Number.NaN;
  }
}
