import { tmpdir } from 'node:os';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { z } from 'zod';
import type { ToolCommand, ToolCommands } from '#server/config/tool-commands';
import type { ToolTimeouts } from '#server/conversation/tool-timeouts';
import type { Ask, Bounds, Work } from '#server/features/tool-servers/mcp/session';
import { ToolServerError, toToolServerError } from '#server/features/tool-servers/shared/failure';

/** Identifies a process by server and user: users never share one. */
type ProcessOwner = { serverId: number; userId: number; name: string };

type Process = {
  client: Client;
  close: () => Promise<void>;
  /** Fires when it has ended, for any reason. */
  ended: AbortSignal;
  calls: number;
  idleSince: number;
  timer: NodeJS.Timeout | undefined;
};
type StartingProcess = { process: Promise<Process>; current: Process | undefined };

const messageLimit = 1024 * 1024;
/** For all users together. */
const maxProcesses = 16;
/** Answers are read within Roster's limits, not by the schemas of the SDK. */
const Anything = z.looseObject({});

const load = async () => ({
  ...(await import('@modelcontextprotocol/sdk/client/index.js')),
  ...(await import('@modelcontextprotocol/sdk/client/stdio.js')),
});

const failed = (message: string, mayHaveRun: boolean, cause?: unknown) =>
  new ToolServerError(message, { mayHaveRun, cause });

/** Reason why a command has not started to answer. */
function startFailure(name: string, error: unknown): ToolServerError {
  const failure = toToolServerError(error, { called: false });
  if (failure instanceof ToolServerError) return failure;
  return failed(`The command ${name} could not be started. Roster’s operator can look into it.`, false, error);
}

/**
 * Roster's own variables are not passed on: the SDK passes PATH, HOME and the like, and what the operator has listed.
 */
async function startProcess({ command, args, env }: ToolCommand, withinMs: number): Promise<Process> {
  const { Client, StdioClientTransport } = await load();
  const client = new Client({ name: 'Roster', version: '1.0.0' }, { capabilities: {} });
  const transport = new StdioClientTransport({
    command,
    args,
    env,
    cwd: tmpdir(),
    stderr: 'ignore',
    maxBufferSize: messageLimit,
  });
  const ended = new AbortController();
  client.onclose = () => ended.abort();
  try {
    await client.connect(transport, { timeout: withinMs });
  } catch (error) {
    await client.close();
    throw error;
  }
  return {
    client,
    close: () => client.close(),
    ended: ended.signal,
    calls: 0,
    idleSince: performance.now(),
    timer: undefined,
  };
}

/** Rejects if the caller aborts, or the process ends, before the answer. */
function orStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const stops = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, stops]);
}

/**
 * Tool servers that run as local processes, by commands that the operator has listed: started on demand, stopped when
 * idle, and killed when they hang.
 */
export function createProcessPool(commands: ToolCommands, times: Pick<ToolTimeouts, 'idleMs'>) {
  const running = new Map<string, StartingProcess>();
  const ending = new Set<Promise<void>>();
  let isClosed = false;

  function end(key: string, { process }: StartingProcess) {
    running.delete(key);
    const work = process
      .then(({ close, timer }) => {
        clearTimeout(timer);
        return close();
      })
      .catch(() => undefined)
      .finally(() => ending.delete(work));
    ending.add(work);
  }

  /** Ends the process that has been idle longest. */
  function makeRoom() {
    if (running.size < maxProcesses) return;
    const idle = [...running]
      .filter(([, { current }]) => current?.calls === 0)
      .toSorted(([, a], [, b]) => (a.current?.idleSince ?? 0) - (b.current?.idleSince ?? 0));
    const [first] = idle;
    if (!first) throw failed('Too many commands are running on this machine. Please try again later.', false);
    end(...first);
  }

  function started(key: string, name: string, withinMs: number): StartingProcess {
    const existing = running.get(key);
    if (existing) return existing;
    const command = commands.get(name);
    if (!command) throw failed(`The operator no longer allows the command ${name}.`, false);
    if (isClosed) throw failed('Roster is stopping.', false);
    makeRoom();
    const starting: StartingProcess = { process: startProcess(command, withinMs), current: undefined };
    running.set(key, starting);
    starting.process.then(
      (process) => {
        starting.current = process;
        process.ended.addEventListener('abort', () => running.get(key) === starting && running.delete(key));
      },
      () => running.get(key) === starting && running.delete(key),
    );
    return starting;
  }

  return {
    /** @throws ToolServerError */
    async inSession<T>({ serverId, userId, name }: ProcessOwner, bounds: Bounds, work: Work<T>): Promise<T> {
      const key = `${serverId} ${userId}`;
      const starting = started(key, name, bounds.withinMs);
      const time = AbortSignal.timeout(bounds.withinMs);
      const enough = AbortSignal.any([bounds.signal, time]);
      let called = false;
      let process: Process | undefined;
      try {
        process = await orStopped(enough, starting.process);
        const { client, ended } = process;
        process.calls++;
        clearTimeout(process.timer);
        const options = { timeout: bounds.withinMs + 5_000 };
        const ask: Ask = (method, params) => {
          if (method === 'tools/call') called = true;
          return client.request({ method, params }, Anything, options);
        };
        return await orStopped(AbortSignal.any([enough, ended]), work(ask, []));
      } catch (error) {
        if (bounds.signal.aborted) throw failed('The call was stopped.', called, error);
        if (time.aborted) {
          // It hangs: the next caller gets a new one.
          end(key, starting);
          throw failed('The command did not answer in time, and was ended.', called, error);
        }
        if (!process) throw startFailure(name, error);
        if (process.ended.aborted) throw failed('The command ended before it had answered.', called, error);
        throw toToolServerError(error, { called });
      } finally {
        if (process) release(key, starting, process);
      }
    },
    async close() {
      isClosed = true;
      for (const [key, starting] of running) end(key, starting);
      await Promise.all(ending);
    },
  };

  function release(key: string, starting: StartingProcess, process: Process) {
    process.calls--;
    process.idleSince = performance.now();
    if (process.calls > 0 || process.ended.aborted) return;
    clearTimeout(process.timer);
    process.timer = setTimeout(() => running.get(key) === starting && end(key, starting), times.idleMs).unref();
  }
}

export type ProcessPool = ReturnType<typeof createProcessPool>;
