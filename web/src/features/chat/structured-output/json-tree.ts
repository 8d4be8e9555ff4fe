/** A value in a JSON text, by its place: what it says is cut out of the text, so that a number stays as it was written. */
export type JsonValue = {
  kind: 'object' | 'array' | 'string' | 'number' | 'word';
  start: number;
  end: number;
};
/** What is in an object or, without a name, in an array. */
export type JsonChild = { name: string | null; value: JsonValue };
export type JsonTable = { columns: readonly string[]; rows: readonly ReadonlyMap<string, JsonValue>[] };

/** A table with more columns is read better one object at a time. */
const columnLimit = 50;
/** So much is drawn at once, and more when it is asked for. */
export const itemsPerPage = 200;
/** So much is open when an answer is first shown, on so many levels below the answer itself. */
const openAtFirst = 1_500;
const levelsAtFirst = 2;

export const isGroup = ({ kind }: JsonValue) => kind === 'object' || kind === 'array';

const [space, tab, line, carriage, quote, backslash] = [32, 9, 10, 13, 34, 92];

export function afterSpace(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit !== space && unit !== line && unit !== tab && unit !== carriage) return at;
  }
  return text.length;
}

export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === backslash) at++;
    else if (unit === quote) return at + 1;
  }
  return text.length;
}

/** Goes through what is nested in a loop: hundreds of thousands of brackets are no call stack. */
function endOfGroup(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const unit = text[at];
    if (unit === '"') at = endOfString(text, at) - 1;
    else if (unit === '{' || unit === '[') depth++;
    else if ((unit === '}' || unit === ']') && --depth === 0) return at + 1;
  }
  return text.length;
}

export function endOfPlain(text: string, start: number): number {
  const plain = /[^\s,:[\]{}"]+/y;
  plain.lastIndex = start;
  return plain.test(text) ? plain.lastIndex : start + 1;
}

function valueAt(text: string, start: number): JsonValue {
  const first = text[start] ?? '';
  if (first === '"') return { kind: 'string', start, end: endOfString(text, start) };
  if (first === '{' || first === '[')
    return { kind: first === '{' ? 'object' : 'array', start, end: endOfGroup(text, start) };
  return { kind: /[-\d]/.test(first) ? 'number' : 'word', start, end: endOfPlain(text, start) };
}

function childrenIn(text: string, { kind, start, end }: JsonValue): JsonChild[] {
  const children: JsonChild[] = [];
  let at = afterSpace(text, start + 1);
  while (at < end - 1) {
    let name: string | null = null;
    if (kind === 'object') {
      const endOfName = endOfString(text, at);
      name = String(JSON.parse(text.slice(at, endOfName)));
      at = afterSpace(text, afterSpace(text, endOfName) + 1);
    }
    const value = valueAt(text, at);
    children.push({ name, value });
    at = afterSpace(text, value.end);
    if (text[at] === ',') at = afterSpace(text, at + 1);
  }
  return children;
}

/** Once for each place: what is folded is not looked into. */
function once<Found>(find: (value: JsonValue) => Found) {
  const found = new Map<number, { of: Found }>();
  return (value: JsonValue): Found => {
    const known = found.get(value.start) ?? { of: find(value) };
    found.set(value.start, known);
    return known.of;
  };
}

export type JsonTree = {
  text: string;
  root: JsonValue;
  childrenOf: (value: JsonValue) => readonly JsonChild[];
  /** An array of objects with nothing in them but plain values; null: it is none. */
  tableOf: (value: JsonValue) => JsonTable | null;
  /** As it stands in the text. */
  written: (value: JsonValue) => string;
  /** The text that a string is. */
  said: (value: JsonValue) => string;
};

/** A JSON text, looked into level by level as it is unfolded; null: it is not JSON. */
export function parseJsonTree(text: string): JsonTree | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  const written = ({ start, end }: JsonValue) => text.slice(start, end);
  const childrenOf = once((value) => (isGroup(value) ? childrenIn(text, value) : []));
  const rowOf = (value: JsonValue): ReadonlyMap<string, JsonValue> | null => {
    const cells = childrenOf(value);
    const row = new Map(cells.map(({ name, value: cell }) => [name ?? '', cell]));
    // A name that is there twice would hide one of its values.
    return value.kind === 'object' && row.size === cells.length && !cells.some((cell) => isGroup(cell.value))
      ? row
      : null;
  };
  const tableOf = once((value): JsonTable | null => {
    if (value.kind !== 'array') return null;
    const columns = new Set<string>();
    const rows: ReadonlyMap<string, JsonValue>[] = [];
    for (const child of childrenOf(value)) {
      const row = rowOf(child.value);
      if (row === null) return null;
      for (const name of row.keys()) columns.add(name);
      if (columns.size > columnLimit) return null;
      rows.push(row);
    }
    return columns.size > 0 ? { columns: [...columns], rows } : null;
  });
  return {
    text,
    root: valueAt(text, afterSpace(text, 0)),
    childrenOf,
    tableOf,
    written,
    said: (value) => String(JSON.parse(written(value))),
  };
}

/** Where the groups begin that are open when an answer is first shown: the upper levels, as far as they are not long. */
export function initiallyExpanded({ root, childrenOf, tableOf }: JsonTree): ReadonlySet<number> {
  const opened = new Set<number>();
  const groupsIn = (value: JsonValue) =>
    tableOf(value)
      ? []
      : childrenOf(value)
          .slice(0, itemsPerPage)
          .flatMap((child) => (isGroup(child.value) ? [child.value] : []));
  const sizeOf = (value: JsonValue) =>
    Math.min(childrenOf(value).length, itemsPerPage) * (tableOf(value)?.columns.length ?? 1);
  let room = openAtFirst - sizeOf(root);
  let parents: readonly JsonValue[] = [root];
  for (let level = 0; level < levelsAtFirst; level++) {
    const next: JsonValue[] = [];
    for (const parent of parents) {
      const groups = groupsIn(parent);
      const size = groups.reduce((sum, group) => sum + sizeOf(group), 0);
      // What stands in one list is open or folded as one; of the answer's own fields each by itself.
      const fitting = parent === root || size <= room ? groups : [];
      for (const group of fitting) {
        if (sizeOf(group) > room) continue;
        room -= sizeOf(group);
        opened.add(group.start);
        next.push(group);
      }
    }
    parents = next;
  }
  return opened;
}

/** The name of something in a JSON pointer. */
export const pointerTo = (at: string, name: string | number) =>
  `${at}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
