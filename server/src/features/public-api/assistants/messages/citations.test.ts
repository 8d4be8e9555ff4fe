import { expect, test } from 'vitest';
import { withCitations } from './citations.ts';

test('counts places in code points, as Python does', () => {
  const text = '🧭 north';
  const citations = [{ fileId: 7, at: text.length }];
  const { value, annotations } = withCitations(text, citations, new Set([7]), (kind, id) => `${kind}-${id}`);
  expect(value).toBe('🧭 north【0:0†source】');
  expect(annotations).toMatchObject([{ start_index: 7, end_index: 19, file_citation: { file_id: 'file-7' } }]);
});
