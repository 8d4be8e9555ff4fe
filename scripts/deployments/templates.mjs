// The subset of Go's templates and Helm's functions that the chart uses; anything else is rejected.
import { stringify } from 'yaml';

const isEmpty = (value) =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  value === 0 ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const indented = (count, text) => text.replaceAll(/^(?=.)/gm, ' '.repeat(count));

const functions = {
  and: (...values) => values.find(isEmpty) ?? values.at(-1),
  default: (usual, value) => (isEmpty(value) ? usual : value),
  fail: (why) => {
    throw new Error(why);
  },
  gt: (a, b) => a > b,
  int: Number,
  nindent: (count, text) => `\n${indented(count, text)}`,
  not: isEmpty,
  printf: (format, ...values) => values.reduce((text, value) => text.replace('%s', value), format),
  quote: (value) => JSON.stringify(String(value)),
  required(why, value) {
    if (isEmpty(value)) throw new Error(why);
    return value;
  },
  toYaml: (value) => stringify(value, { lineWidth: 0 }).trimEnd(),
  trimSuffix: (end, text) => (text.endsWith(end) ? text.slice(0, -end.length) : text),
  trunc: (count, text) => text.slice(0, count),
  urlParse: (text) => ({ host: new URL(text).host }),
};

/** Text and actions alternately; a dash at an end of an action trims the white space there. */
function tokens(text) {
  const found = [];
  let at = 0;
  for (const { 0: whole, 1: before, 2: action, 3: after, index } of text.matchAll(
    /\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}/g,
  )) {
    const plain = text.slice(at, index);
    found.push({ text: before ? plain.trimEnd() : plain }, { action });
    at = index + whole.length;
    if (after) at += /^\s*/.exec(text.slice(at))[0].length;
  }
  return [...found, { text: text.slice(at) }];
}

/** A list of texts, actions and blocks, up to the end of the enclosing block. */
function parse(queue) {
  const nodes = [];
  for (let token = queue.shift(); token; token = queue.shift()) {
    const [, word, rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(token.action ?? '') ?? [];
    if (token.action === undefined) nodes.push(token);
    else if (word === 'end' || word === 'else') return { nodes, ending: word };
    else if (['if', 'with', 'range', 'define'].includes(word)) {
      const { nodes: inner, ending } = parse(queue);
      const other = ending === 'else' ? parse(queue).nodes : [];
      nodes.push({ block: word, rest, inner, other });
    } else nodes.push(token);
  }
  return { nodes, ending: undefined };
}

/** The words of a pipeline, with parentheses as nested lists. */
function words(text) {
  const open = [[]];
  for (const [word] of text.matchAll(/"(?:[^"\\]|\\.)*"|\)\.\w+|[()|]|[^\s()|]+/g)) {
    if (word === '(') open.push([]);
    else if (word.startsWith(')')) {
      const list = open.pop();
      open.at(-1).push(word === ')' ? list : Object.assign(list, { field: word.slice(2) }));
    } else open.at(-1).push(word);
  }
  return open[0];
}

const fieldOf = (value, path) => path.split('.').reduce((inner, name) => (name ? inner?.[name] : inner), value);

/** Evaluates a pipeline. `$` is always `root`; `include` renders another template. */
function evaluator(root, include) {
  function term(word, scope) {
    if (Array.isArray(word)) return word.field ? pipeline(word, scope)[word.field] : pipeline(word, scope);
    if (/^"/.test(word)) return JSON.parse(word);
    if (/^\d+$/.test(word)) return Number(word);
    if (word.startsWith('.')) return fieldOf(scope.dot, word);
    const [, name, path] = /^\$(\w*)(.*)$/.exec(word) ?? [];
    if (path === undefined) throw new Error(`A template says ${word}, which nothing here knows`);
    return fieldOf(name ? scope.names[name] : root, path);
  }

  function call([name, ...args], last, scope) {
    const given = [...args.map((word) => term(word, scope)), ...last];
    if (name === 'include') return include(...given);
    if (typeof name === 'string' && functions[name]) return functions[name](...given);
    if (given.length > 0) throw new Error(`A template calls ${name}, which nothing here knows`);
    return term(name, scope);
  }

  function pipeline(list, scope) {
    let result = [];
    for (let rest = list; rest.length > 0; ) {
      const end = rest.indexOf('|');
      const part = end === -1 ? rest : rest.slice(0, end);
      result = [call(part, result, scope)];
      rest = end === -1 ? [] : rest.slice(end + 1);
    }
    return result[0];
  }
  return pipeline;
}

export function createRenderer(files, { values, chart, release }) {
  const defined = new Map();
  const root = { Values: values, Chart: chart, Release: release };
  const pipeline = evaluator(root, (name, dot) => render(defined.get(name), { dot, names: {} }));

  const blocks = {
    if: (value, { inner, other }, scope) => render(isEmpty(value) ? other : inner, scope),
    with: (value, { inner, other }, scope) =>
      isEmpty(value) ? render(other, scope) : render(inner, { ...scope, dot: value }),
    range: (value, { inner, key, item }, scope) =>
      Object.entries(value ?? {})
        .map(([name, one]) =>
          render(inner, { dot: one, names: { ...scope.names, ...(key && { [key]: name, [item]: one }) } }),
        )
        .join(''),
  };

  function block(node, scope) {
    if (node.block === 'define') {
      defined.set(JSON.parse(node.rest), node.inner);
      return '';
    }
    const [, key, item, source = node.rest] = /^\$(\w+), \$(\w+) := (.*)$/.exec(node.rest) ?? [];
    return blocks[node.block](pipeline(words(source), scope), { ...node, key, item }, scope);
  }

  function action(said, scope) {
    const [, name, source] = /^\$(\w+) := (.*)$/s.exec(said) ?? [];
    const value = pipeline(words(source ?? said), scope);
    if (!name) return value;
    scope.names[name] = value;
    return '';
  }

  function render(nodes, scope) {
    if (!nodes) throw new Error('A template includes one that is not there');
    return nodes.map((node) => node.text ?? (node.block ? block(node, scope) : action(node.action, scope))).join('');
  }

  const trees = files.map(({ name, text }) => ({ name, nodes: parse(tokens(text)).nodes }));
  for (const { name, nodes } of trees) if (name.endsWith('.tpl')) render(nodes, { dot: root, names: {} });
  return () =>
    trees
      .filter(({ name }) => name.endsWith('.yaml'))
      .map(({ name, nodes }) => ({ name, text: render(nodes, { dot: root, names: {} }) }));
}
