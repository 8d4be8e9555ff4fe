import { parentPort } from 'node:worker_threads';
import { validateJob } from './validate-job.ts';
import type { Job, Kind, Order, Question, Reply, Works } from './work.ts';

const port = parentPort;
if (!port) throw new Error('This file runs as a worker thread');

const begin = (order: Order): Promise<Job> => validateJob(order);

let job: Job | undefined;

async function answer(question: Question): Promise<Reply<Works[Kind]['result']>> {
  if (question.say === 'begin') {
    job = await begin(question.order);
    return { say: 'taken', output: [], enough: false };
  }
  if (!job) throw new Error('Nothing was begun');
  if (question.say === 'chunk') {
    const { buffer, byteOffset, byteLength } = question.bytes;
    const enough = job.take(Buffer.from(buffer, byteOffset, byteLength));
    return { say: 'taken', output: [], enough };
  }
  if (question.say === 'next') {
    job.next();
    return { say: 'taken', output: [], enough: false };
  }
  const result = job.result();
  job = undefined;
  return { say: 'result', result };
}

port.on('message', async (question: Question) => {
  try {
    port.postMessage(await answer(question));
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    port.postMessage({ say: 'failed', message } satisfies Reply<never>);
  }
});
