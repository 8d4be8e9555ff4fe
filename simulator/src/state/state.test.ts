import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { KEY, listAt, startedSimulator, textAt } from '../testing.ts';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'simulator-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

const EXAMPLE = JSON.stringify({ messages: [{ role: 'assistant', content: 'x' }] });

test('keeps files, jobs, models and stores in a folder over a restart', async () => {
  const data = await folder();
  const first = await startedSimulator({ data, jobStepMs: 60_000 });
  const file = textAt((await first.upload(Array(10).fill(EXAMPLE).join('\n'), 'a.jsonl', 'fine-tune')).body, 'id');
  await first.post('/fine_tuning/jobs', { model: 'gpt-4.1', training_file: file, suffix: 'kept' });
  await first.post('/vector_stores', { name: 'Kept', file_ids: [file] });
  await first.advance(3_600_000);
  const job = listAt((await first.get('/fine_tuning/jobs')).body, 'data')[0];
  const model = textAt(job, 'fine_tuned_model');
  await first.close();

  const second = await startedSimulator({ data, jobStepMs: 60_000 });
  expect((await second.get(`/models/${model}`)).status).toBe(200);
  expect((await second.get(`/files/${file}/content`)).text).toContain('assistant');
  expect(listAt((await second.get('/vector_stores')).body, 'data')).toHaveLength(1);
  expect((await second.get('/files', 'sk-somebody-else')).body.data).toEqual([]);
});

test('names no key in the folder and leaves no half-written file', async () => {
  const data = await folder();
  const { upload } = await startedSimulator({ data });
  await Promise.all(Array.from({ length: 8 }, (_, number) => upload('x', `${number}.txt`, 'assistants')));
  const names = await readdir(data);
  expect(names).toHaveLength(9);
  expect(names.filter((name) => name.endsWith('.part') || name.includes(KEY.slice(-8)))).toEqual([]);
});

test('deletes a file from the folder', async () => {
  const data = await folder();
  const simulator = await startedSimulator({ data });
  const file = textAt((await simulator.upload('x', 'a.txt', 'assistants')).body, 'id');
  await simulator.delete(`/files/${file}`);
  expect((await readdir(data)).filter((name) => name.includes(file))).toEqual([]);
});
