import { describe, expect, test } from 'vitest';
import { initiallyExpanded, isGroup, type JsonValue, parseJsonTree, pointerTo } from './json-tree.ts';
import { prettyJson } from './pretty-json.ts';
import { tableCsv } from './table-view.tsx';

function read(text: string) {
  const tree = parseJsonTree(text);
  if (!tree) throw new Error('It is not JSON');
  return tree;
}
/** A tree as lists of names and source texts. */
function tokensOf(text: string) {
  const { root, childrenOf, written } = read(text);
  const tell = (value: JsonValue): unknown =>
    isGroup(value) ? childrenOf(value).map((child) => [child.name, tell(child.value)]) : written(value);
  return tell(root);
}

describe('JSON text', () => {
  test.each(['', '{', '{"a":1,}', "{'a':1}", '{"a":1} {"b":2}', '{"a":01}', 'In words'])('rejects %j', (text) =>
    expect(parseJsonTree(text)).toBeNull(),
  );

  test('keeps numbers as written', () =>
    expect(tokensOf(' {"a" : [1e400, 12345678901234567890,-0, 1.50 , 0.1e-7]\n} ')).toEqual([
      ['a', ['1e400', '12345678901234567890', '-0', '1.50', '0.1e-7'].map((number) => [null, number])],
    ]));

  test('keeps duplicate names and names of built-in properties', () =>
    expect(tokensOf('{"a":1,"a":2,"__proto__":{"x":true},"constructor":null,"":false}')).toEqual([
      ['a', '1'],
      ['a', '2'],
      ['__proto__', [['x', 'true']]],
      ['constructor', 'null'],
      ['', 'false'],
    ]));

  test('decodes names and strings with any content', () => {
    const { root, childrenOf, said } = read(String.raw`{"}\"]\\": "{[,:\"\\", "\ud800": "\udfff\n\u0000"}`);
    expect(childrenOf(root).map(({ name, value }) => [name, said(value)])).toEqual([
      ['}"]\\', '{[,:"\\'],
      ['\ud800', '\udfff\n\0'],
    ]);
  });

  test('handles nesting as deep as the text is long', () => {
    const deep = `${'['.repeat(300_000)}${']'.repeat(300_000)}`;
    const { root, childrenOf } = read(`{"deep":${deep}}`);
    expect(childrenOf(root)[0]?.value).toEqual({ kind: 'array', start: 8, end: 8 + 600_000 });
    expect(prettyJson(deep).length).toBeLessThan(700_000);
  });
});

describe('indented JSON', () => {
  test('keeps the source of values, one per line', () =>
    expect(prettyJson(' {"a":[1e400,{"b" : -0,"b":"\\u00e4, {"}],"c":{ },"d":[\n]} ')).toBe(
      [
        '{',
        '  "a": [',
        '    1e400,',
        '    {',
        '      "b": -0,',
        '      "b": "\\u00e4, {"',
        '    }',
        '  ],',
        '  "c": {},',
        '  "d": []',
        '}',
      ].join('\n'),
    ));

  test('equals the output of JSON.stringify', () => {
    const value = { list: [[], {}, [1, [2, ['x', null]]], { a: { b: true } }], text: 'one\ntwo "three"' };
    expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
  });
});

describe('table', () => {
  const tableIn = (text: string) => {
    const tree = read(text);
    return { tree, table: tree.tableOf(tree.root) };
  };

  test('collects all names of flat objects in order', () => {
    const { table } = tableIn('[{"b":1,"a":2},{},{"a":3,"__proto__":4}]');
    expect(table?.columns).toEqual(['b', 'a', '__proto__']);
    expect(table?.rows.map((row) => row.size)).toEqual([2, 0, 2]);
  });

  test.each([
    '[]',
    '[{}]',
    '[1]',
    '[{"a":1},2]',
    '[{"a":[]}]',
    '[{"a":1,"a":2}]',
    '{"a":1}',
    JSON.stringify([Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`c${index}`, 1]))]),
  ])('rejects %s', (text) => expect(tableIn(text).table).toBeNull());

  test('keeps numbers as written in CSV, without formulas', () => {
    const { tree, table } = tableIn(
      '[{"=name":"=1+1","n":-12345678901234567890},{"n":1e400,"ok":true,"=name":"a,\\"b\\"\\n"},{"=name":null,"ok":"-5"}]',
    );
    expect(table && tableCsv(tree, table)).toBe(
      [`\uFEFF'=name,n,ok`, `'=1+1,-12345678901234567890,`, `"a,""b""\n",1e400,true`, `,,'-5`, ''].join('\r\n'),
    );
  });
});

describe('initially expanded', () => {
  const opened = (value: unknown) => initiallyExpanded(read(JSON.stringify(value))).size;

  test('expands two levels below the answer', () =>
    expect(opened({ a: { b: { c: { d: [1] } } }, e: [[[1]]] })).toBe(4));

  test('expands nothing that is long', () => {
    const long = Array.from({ length: 1_000 }, () => [1, 2, 3, 4, 5, 6, 7, [8]]);
    // The outer list, but nothing inside it.
    expect(opened({ long, short: [1] })).toBe(2);
    const wide = Array.from({ length: 200 }, () => ({ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8 }));
    expect(opened({ wide, short: [1] })).toBe(1);
  });
});

test('builds JSON pointers', () => expect(pointerTo(pointerTo('', 'a/b~c'), 3)).toBe('/a~1b~0c/3'));
