/** A value in a JSON text, as offsets: its source is cut out of the text, so that numbers stay as written. */
export type JsonValue = {
  kind: 'object' | 'array' | 'string' | 'number' | 'word';
  start: number;
  end: number;
};
/** A member of an object, or of an array if it has no name. */
export type JsonChild = { name: string | null; value: JsonValue };
export type JsonTable = { columns: readonly string[]; rows: readonly ReadonlyMap<string, JsonValue>[] };

/** Tables with more columns are shown as objects instead. */
const columnLimit = 50;
/** Items rendered at once; more on request. */
export const itemsPerPage = 200;
/** Items expanded at first, and levels below the answer. */
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

/** Iterative: hundreds of thousands of brackets would exhaust the call stack. */
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

/** Memoized by position. Collapsed parts are never visited. */
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
  /** An array of objects with only plain values, as a table; null otherwise. */
  tableOf: (value: JsonValue) => JsonTable | null;
  /** Source text of a value. */
  written: (value: JsonValue) => string;
  /** Decoded text of a string. */
  said: (value: JsonValue) => string;
};

/** Parses a JSON text lazily, one level at a time; null if it is not JSON. */
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
    // Duplicate names would hide values.
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

/** Offsets of the groups expanded at first: the upper levels, unless they are long. */
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
      // Elements of a list open together or not at all; fields of the answer individually.
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

/** Appends a name to a JSON pointer. */
export const pointerTo = (at: string, name: string | number) =>
  `${at}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
