import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export type StartedProcess = { child: ChildProcess; ended: Promise<void> };

export type Command = {
  name: string;
  path: string;
  args: string[];
  /** The process runs and writes its log here. */
  folder: string;
  env?: NodeJS.ProcessEnv;
  as?: { uid: number; gid: number } | undefined;
};

const running = new Set<ChildProcess>();
/** Undo steps for when this process ends, however it ends: last in, first out. */
export const atExit: (() => void)[] = [];

/** Without variables of a Roster configured in the shell: nothing here touches its data. */
function surroundings(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'NODE_COMPILE_CACHE'];
  return Object.fromEntries(kept.map((name) => [name, process.env[name]]));
}

/** Starts a program with its output in `NAME.log`. It ends with this process. */
export function startProcess({ name, path, args, folder, env = {}, as }: Command): StartedProcess {
  const log = openSync(join(folder, `${name}.log`), 'a');
  const child = spawn(path, args, {
    cwd: folder,
    env: { ...surroundings(), ...env },
    stdio: ['ignore', log, log],
    ...as,
  });
  running.add(child);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => {
      running.delete(child);
      resolve();
    });
  });
  return { child, ended };
}

/** A part of the cluster with one process: started, stopped in order, killed, and restarted. */
export function createPart(
  command: Command,
  isReady: () => Promise<boolean>,
  { stopSignal = 'SIGTERM' as NodeJS.Signals } = {},
) {
  let current: StartedProcess | undefined;
  async function end(signal: NodeJS.Signals) {
    if (!current) return;
    const { child, ended } = current;
    current = undefined;
    child.kill(signal);
    const patience = setTimeout(() => child.kill('SIGKILL'), 40_000);
    await ended;
    clearTimeout(patience);
  }
  return {
    name: command.name,
    pid: () => current?.child.pid,
    async start() {
      current = startProcess(command);
      await untilReady(command.name, isReady, current.child);
    },
    stop: () => end(stopSignal),
    kill: () => end('SIGKILL'),
  };
}

export type Part = ReturnType<typeof createPart>;

const readyWithinMs = 60_000;

export async function untilReady(name: string, isReady: () => Promise<boolean>, child?: ChildProcess) {
  const giveUpAt = performance.now() + readyWithinMs;
  while (performance.now() < giveUpAt) {
    if (child && child.exitCode !== null) throw new Error(`${name} ended with code ${child.exitCode}; see ${name}.log`);
    if (await isReady().catch(() => false)) return;
    await wait(100);
  }
  throw new Error(`${name} was not ready within ${readyWithinMs / 1_000} s; see ${name}.log`);
}

/** True if this URL answers a GET with one of these statuses. */
export async function answers(url: string, statuses: number[] = [200]): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.arrayBuffer();
  return statuses.includes(response.status);
}

export function endAll() {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
  for (const end of atExit.splice(0).reverse()) end();
}

process.on('exit', endAll);
