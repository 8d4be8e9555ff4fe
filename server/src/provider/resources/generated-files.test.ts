import { expect, test } from 'vitest';
import { type GeneratedFile, generatedFileReader } from './generated-files.ts';

function reading() {
  const files: GeneratedFile[] = [];
  const notes: string[] = [];
  const reader = generatedFileReader({ tell: (made) => files.push(made), tooMany: (note) => notes.push(note) });
  return { files, notes, ...reader };
}
const cited = (file_id: unknown, filename: unknown, container_id: unknown = 'cntr_1') => ({
  type: 'container_file_citation',
  container_id,
  file_id,
  filename,
});
const image = (url: string) => ({ type: 'image', url });
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('reports each file once, by its name in the container', () => {
  const { files, ...reader } = reading();
  for (const name of ['/mnt/data/plot.png', 'plot.png', 'other.png']) reader.cited(cited('cfile_1', name));
  reader.cited(cited('cfile_2', ''));
  expect(files).toEqual([
    { filename: 'plot.png', container: { containerId: 'cntr_1', fileId: 'cfile_1' } },
    { filename: 'file 2', container: { containerId: 'cntr_1', fileId: 'cfile_2' } },
  ]);
});

test.each([
  ['an id with a path in it', cited('../../files/file-1', 'a')],
  ['a container with a path in it', cited('cfile_1', 'a', 'cntr_1/../..')],
  ['an id that is none', cited(7, 'a')],
  ['an empty id', cited('', 'a')],
  ['a very long id', cited('c'.repeat(201), 'a')],
  ['another citation', { type: 'url_citation', url: 'https://example.org' }],
  ['nothing', null],
])('skips %s', (_what, annotation) => {
  const { files, ...reader } = reading();
  reader.cited(annotation);
  expect(files).toEqual([]);
});

test('takes images out of the outputs of code', () => {
  const { files, ...reader } = reading();
  const address = 'https://elsewhere.example/v1/containers/cntr_1/files/cfile_1/content?x=1';
  const logs = { type: 'logs', logs: '42' };
  expect(reader.ofOutputs([logs, image(address), image(`data:image/png;base64,${pixel}`)])).toEqual([
    logs,
    { type: 'image' },
    { type: 'image' },
  ]);
  expect(files).toEqual([
    { filename: 'picture 1', container: { containerId: 'cntr_1', fileId: 'cfile_1' } },
    { filename: 'picture 2', bytes: Buffer.from(pixel, 'base64') },
  ]);
});

test.each([
  'https://elsewhere.example/picture.png',
  'https://elsewhere.example/v1/containers/cntr_1/files/..%2f..%2fmodels',
  'data:text/html;base64,PHNjcmlwdD4=',
  'data:image/png;base64,',
  'file:///etc/passwd',
])('fetches nothing from %s', (url) => {
  const { files, ...reader } = reading();
  expect(reader.ofOutputs([image(url)])).toEqual([{ type: 'image' }]);
  expect(files).toEqual([]);
});

test('says once that there were more files than can be kept', () => {
  const { files, notes, ...reader } = reading();
  for (let number = 0; number < 30; number++) reader.cited(cited(`cfile_${number}`, `${number}.txt`));
  expect(files).toHaveLength(20);
  expect(notes).toHaveLength(1);
  const others = reading();
  const large = 'A'.repeat(32 * 1024 * 1024);
  for (let number = 0; number < 3; number++) others.ofOutputs([image(`data:image/png;base64,${large}`)]);
  expect(others.files).toHaveLength(2);
  expect(others.notes).toHaveLength(1);
});
