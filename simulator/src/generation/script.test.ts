import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { at, listAt, startedSimulator, textAt } from '../testing.ts';
import { readScript } from './script.ts';

function fileWith(content: unknown) {
  const folder = mkdtempSync(join(tmpdir(), 'simulator-script-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'script.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const entry = { question: 'How far?', answer: 'Eighty kilometres.' };
const asking = (content: string, more: object = {}) => ({
  model: 'gpt-4o',
  input: [{ role: 'user', content }],
  ...more,
});
const textOf = (body: unknown) => textAt(body, 'output', listAt(body, 'output').length - 1, 'content', 0, 'text');

test('gives the prepared answer to exactly that question, by model', async () => {
  const script = readScript(fileWith([{ ...entry, byModel: { 'gpt-4.1': 'It depends.' } }]));
  const { post } = await startedSimulator({ script });
  expect(textOf((await post('/responses', asking('How far?'))).body)).toBe('Eighty kilometres.');
  const other = await post('/responses', { ...asking('How far?'), model: 'gpt-4.1' });
  expect(textOf(other.body)).toBe('It depends.');
  expect(textOf((await post('/responses', asking('How far is it?'))).body)).not.toContain('Eighty');
});

test('follows the directives of a prepared answer, with its arguments, pages and output', async () => {
  const script = readScript(
    fileWith([
      { ...entry, directives: '[[call find]]', callArguments: { number: '7' } },
      {
        question: 'News?',
        answer: 'None.',
        directives: '[[web]]',
        webPages: [{ url: 'https://a.example', title: 'A' }],
      },
      { question: 'Count', answer: 'Two.', directives: '[[code]]', code: 'print(2)', logs: '2\n' },
    ]),
  );
  const { post } = await startedSimulator({ script });
  const find = { type: 'function', name: 'find', parameters: { type: 'object' }, strict: false };
  const called = (await post('/responses', asking('How far?', { tools: [find] }))).body;
  expect(at(called, 'output', 0)).toMatchObject({ name: 'find', arguments: '{"number":"7"}' });
  const searched = (await post('/responses', asking('News?', { tools: [{ type: 'web_search' }] }))).body;
  expect(JSON.stringify(searched)).toContain('https://a.example');
  const tools = [{ type: 'code_interpreter', container: { type: 'auto' } }];
  const include = ['code_interpreter_call.outputs'];
  const counted = (await post('/responses', asking('Count', { tools, include }))).body;
  expect(at(counted, 'output', 0)).toMatchObject({ code: 'print(2)', outputs: [{ type: 'logs', logs: '2\n' }] });
});

test('names the entry of a script that has no answer', () => {
  expect(() => readScript(fileWith([entry, { question: 'And now?' }]))).toThrow(
    'entry 2 needs a question and an answer',
  );
});
