import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { validateJob } from './check/validate-task.ts';
import { convertJob, inspectPairsJob, planJob, splitJob } from './convert/lines-task.ts';
import type { Kind, TaskOrder, TaskRunner, Tasks, WorkerReply, WorkerRequest } from './task.ts';
import { tokenCounters } from './tokens/tokenizer.ts';

const port = parentPort;
if (!port) throw new Error('This file runs as a worker thread');

async function begin(order: TaskOrder): Promise<TaskRunner> {
  switch (order.kind) {
    case 'validate':
      return validateJob(order, counterOf);
    case 'inspectPairs':
      return inspectPairsJob();
    case 'convert':
      return convertJob(order);
    case 'plan':
      return planJob(order);
    case 'split':
      return splitJob(order);
  }
}

// Streamed answers go first. Only on Linux is this the priority of the thread; elsewhere it is that of the process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const counterOf = tokenCounters();
let job: TaskRunner | undefined;

function taken(enough: boolean): WorkerReply<never> {
  const text = job?.made?.() ?? '';
  return { say: 'taken', output: text === '' ? undefined : new TextEncoder().encode(text), enough };
}

async function answer(question: WorkerRequest): Promise<WorkerReply<Tasks[Kind]['result']>> {
  if (question.say === 'begin') {
    job = await begin(question.order);
    return taken(false);
  }
  if (!job) throw new Error('No task was started');
  if (question.say === 'chunk') {
    const { buffer, byteOffset, byteLength } = question.bytes;
    return taken(job.take(Buffer.from(buffer, byteOffset, byteLength)));
  }
  if (question.say === 'next') {
    job.next();
    return taken(false);
  }
  const result = job.result();
  job = undefined;
  return { say: 'result', result };
}

port.on('message', async (question: WorkerRequest) => {
  try {
    port.postMessage(await answer(question));
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    port.postMessage({ say: 'failed', message } satisfies WorkerReply<never>);
  }
});
