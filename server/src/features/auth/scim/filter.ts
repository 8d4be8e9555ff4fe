import { ScimError, type ScimErrorType } from '#server/http/scim/errors';

export type FilterValue = string | number | boolean | null;

/**
 * An attribute as filters and PATCH name it: `emails[type eq "work"].value`. Names are in lower case, because any case
 * is allowed.
 */
export type AttributePath = {
  attribute: string;
  /** Conditions that the elements of the attribute must meet. */
  within?: readonly Condition[];
  /** The part of the attribute or of its elements. */
  part?: string;
};

/** `value` is what the attribute equals; undefined: an element as in `within` is enough. */
export type Condition = AttributePath & { value?: FilterValue };

const maxLength = 2_000;

/** The schemas whose attributes need no prefix. */
const coreSchema = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/;

const space = /\s+/y;
const attributeName = /((?:urn:[\w.:-]+:)?[a-z$][\w$-]*)(?:\.([a-z$][\w$-]*))?/iy;
const part = /\.([a-z$][\w$-]*)/iy;
const text = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*"/iuy;
const other = /true\b|false\b|null\b|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])/iy;
const and = /\s+and\s+/iy;
const equals = /\s+eq\s+/iy;
const [opening, closing, openingBracket, closingBracket] = [/\(\s*/y, /\s*\)/y, /\[\s*/y, /\s*\]/y];

/** Reads what directories use of the filters in RFC 7644, section 3.4.2.2: `eq`, `and`, brackets and parentheses. */
class Reader {
  readonly #text: string;
  readonly #refusal: ScimErrorType;
  #at = 0;

  constructor(given: string, refusal: ScimErrorType) {
    this.#text = given;
    this.#refusal = refusal;
    if (given.length > maxLength) throw this.refuse();
    this.#take(space);
  }

  refuse() {
    return new ScimError(
      this.#refusal,
      `The filter cannot be read: ${this.#text.slice(0, 200)}. Only eq, and, brackets and parentheses are supported.`,
    );
  }

  end() {
    this.#take(space);
    if (this.#at < this.#text.length) throw this.refuse();
  }

  /** The match at this place, which is passed; undefined: there is none. */
  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) this.#at += match[0].length;
    return match ?? undefined;
  }

  #need(pattern: RegExp): RegExpExecArray {
    const match = this.#take(pattern);
    if (!match) throw this.refuse();
    return match;
  }

  conditions(): Condition[] {
    const all: Condition[] = [];
    do {
      if (this.#take(opening)) {
        all.push(...this.conditions());
        this.#need(closing);
      } else all.push(this.#condition());
    } while (this.#take(and));
    return all;
  }

  #condition(): Condition {
    const path = this.path();
    if (this.#take(equals)) return { ...path, value: this.#value() };
    if (path.within && path.part === undefined) return path;
    throw this.refuse();
  }

  path(): AttributePath {
    const [, name = '', sub] = this.#need(attributeName);
    const attribute = name.toLowerCase().replace(coreSchema, '');
    if (sub !== undefined) return { attribute, part: sub.toLowerCase() };
    if (!this.#take(openingBracket)) return { attribute };
    const within = this.conditions();
    this.#need(closingBracket);
    const [, ofElement] = this.#take(part) ?? [];
    return { attribute, within, ...(ofElement !== undefined && { part: ofElement.toLowerCase() }) };
  }

  /** PostgreSQL cannot compare with U+0000 or with half of a character, which escapes can name. */
  #storable(value: string): string {
    if (value.includes('\0') || !value.isWellFormed()) throw this.refuse();
    return value;
  }

  #value(): FilterValue {
    const [quoted] = this.#take(text) ?? [];
    if (quoted !== undefined) return this.#storable(String(JSON.parse(quoted)));
    const [word] = this.#need(other);
    switch (word.toLowerCase()) {
      case 'true':
        return true;
      case 'false':
        return false;
      case 'null':
        return null;
      default:
        return Number(word);
    }
  }
}

/** All of the conditions must hold. @throws ScimError invalidFilter */
export function parseFilter(given: string): Condition[] {
  const reader = new Reader(given, 'invalidFilter');
  const conditions = reader.conditions();
  reader.end();
  return conditions;
}

/** Reads the path of a PATCH operation. @throws ScimError invalidPath */
export function parsePath(given: string): AttributePath {
  const reader = new Reader(given, 'invalidPath');
  const path = reader.path();
  reader.end();
  return path;
}
