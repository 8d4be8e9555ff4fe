import { expect, test } from 'vitest';
import { headingsOf } from './headings.ts';

test.each([
  ['# One\ntext\n### Two ##', ['One', 'Two']],
  ['## **Bold** `code` and [a link](https://example.com)', ['Bold code and a link']],
  ['```sh\n# a comment\n```\n# After', ['After']],
  ['````\n```\n# inside\n```\n````\n# After', ['After']],
  ['~~~\n# never closed', []],
  ['#hashtag\n    # indented\n# ', []],
])('finds the headings of %j', (text, headings) => {
  expect(headingsOf(text)).toEqual(headings);
});
