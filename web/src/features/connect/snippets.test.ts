import { expect, test } from 'vitest';
import { environment, snippets } from './snippets.ts';

const hostile = `it's "x" \\ $(id) \`id\``;

test('quotes any model name correctly in each language', () => {
  const { curl, Node, Python, LangChain } = snippets(hostile);
  // Inside single quotes the shell takes everything literally.
  const sent = /-d ('[\s\S]*')\n/
    .exec(curl.code)?.[1]
    ?.replaceAll(`'\\''`, '\0')
    .replaceAll("'", '')
    .replaceAll('\0', "'");
  expect(JSON.parse(sent ?? '').model).toBe(hostile);
  for (const { code } of [Node, Python, LangChain]) expect(code).toContain(JSON.stringify(hostile));
  expect(snippets('asst_abc').Node.code).toContain("model: 'asst_abc'");
});

test('quotes a URL only if necessary', () => {
  expect(environment('https://roster.example.org/v1')).toContain('OPENAI_BASE_URL=https://roster.example.org/v1\n');
  expect(environment('http://[::1]:3000/v1')).toContain('OPENAI_BASE_URL=http://[::1]:3000/v1\n');
});
