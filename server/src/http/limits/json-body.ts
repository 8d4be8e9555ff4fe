import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '#server/lib/errors';

/** Limits on a body. `isStored`: its texts and keys go into the database, so it must be able to store them. */
export type BodyLimits = { depth: number; keys: number; isStored: boolean };

const defaultLimits: BodyLimits = { depth: 20, keys: 1_000, isStored: true };
/** Import files hold up to a few hundred assistants with about a dozen fields each. */
const largeBodyLimits: BodyLimits = { ...defaultLimits, keys: 20_000 };
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);
/** PostgreSQL's text type cannot store U+0000. */
const nullCharacterMessage = 'The request contains a character (U+0000) that cannot be stored.';

/** Half of a surrogate pair, left by cutting a character in two. It has no UTF-8 form. */
const loneSurrogateMessage = 'The request contains half a character, which is not valid text. Enter it again.';

export const compressedBodyError = () => new AppError('unsupported_media_type', 'Send the JSON uncompressed.');

/**
 * Parses JSON with limits on depth and number of keys; rejects duplicate keys and keys that could pollute a prototype.
 */
export function readJsonBodies(app: FastifyInstance, usualLimit: number) {
  app.removeAllContentTypeParsers();
  acceptJson(app, 'application/json', ({ routeOptions }) =>
    routeOptions.bodyLimit > usualLimit ? largeBodyLimits : defaultLimits,
  );
  // Forms are not read here: the upload route streams them (router.ts rejects them elsewhere). A urlencoded form
  // without fields is accepted: only its URL counts.
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 16 * 1024 },
    (request, text, done) => {
      if (request.routeOptions.config.peerForm)
        return done(null, Object.fromEntries(new URLSearchParams(String(text))));
      request.routeOptions.config.form && text === ''
        ? done(null)
        : done(new AppError('unsupported_media_type', 'Send JSON, with the content type application/json.'));
    },
  );
  app.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));
}

/** Parses bodies of this media type; an empty one counts as an empty object. */
export function acceptJson(app: FastifyInstance, type: string, limitsOf: (request: FastifyRequest) => BodyLimits) {
  app.addContentTypeParser(type, { parseAs: 'string' }, (request, text, done) => {
    if (request.headers['content-encoding'] !== undefined) return done(compressedBodyError());
    const body = String(text);
    if (body === '') return done(null, {});
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      // The cause is left out: it quotes the body, which may contain a password, and would be logged.
      return done(new AppError('invalid_input', 'The request is not valid JSON.'));
    }
    const problem = shapeProblem(value, body, limitsOf(request));
    if (problem) return done(new AppError('invalid_input', problem));
    done(null, value);
  });
}

/** The problem with the shape of a body parsed from `source`, in words for its sender; undefined: none. */
export function shapeProblem(root: unknown, source: string, shape: BodyLimits): string | undefined {
  let keys = 0;
  let names = 0;
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let item = open.pop(); item; item = open.pop()) {
    const { value, depth } = item;
    const inItself = valueProblem(value, depth, shape);
    if (inItself) return inItself;
    if (typeof value !== 'object' || value === null) continue;
    const members = Object.entries(value);
    if (!Array.isArray(value)) names += members.length;
    for (const [key, child] of members) {
      const problem = shape.isStored ? nameProblem(key) : undefined;
      if (problem) return problem;
      if (++keys > shape.keys) return `The request has more than ${shape.keys} fields.`;
      open.push({ value: child, depth: depth + 1 });
    }
  }
  // JSON.parse keeps the last of duplicate keys. A proxy that parsed the same text may have used the first.
  return names === countKeys(source) ? undefined : 'The request names a field twice.';
}

function valueProblem(value: unknown, depth: number, shape: BodyLimits): string | undefined {
  if (typeof value === 'string') return shape.isStored ? textProblem(value) : undefined;
  const isNested = typeof value === 'object' && value !== null && depth >= shape.depth;
  return isNested ? `The request is nested deeper than ${shape.depth} levels.` : undefined;
}

function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return nullCharacterMessage;
  return text.isWellFormed() ? undefined : loneSurrogateMessage;
}

function nameProblem(key: string): string | undefined {
  return textProblem(key) ?? (forbiddenKeys.has(key) ? `The field name ${key} is not allowed.` : undefined);
}

/** The number of keys in valid JSON: the colons outside its strings. */
function countKeys(source: string): number {
  let names = 0;
  let colon = source.indexOf(':');
  let quote = source.indexOf('"');
  while (colon >= 0) {
    if (quote < 0 || colon < quote) {
      names++;
      colon = source.indexOf(':', colon + 1);
      continue;
    }
    const after = endOfString(source, quote);
    quote = source.indexOf('"', after);
    if (colon < after) colon = source.indexOf(':', after);
  }
  return names;
}

/**
 * The index after the string that starts at this quotation mark: a quote after an odd number of backslashes is escaped.
 */
function endOfString(source: string, start: number): number {
  for (let end = source.indexOf('"', start + 1); end >= 0; end = source.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (source[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
  return source.length;
}
