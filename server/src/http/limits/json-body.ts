import type { FastifyInstance } from 'fastify';
import { AppError } from '#server/lib/errors';

/** What a body may look like. `isStored`: its texts and names go into the database, so they have to be what it can hold. */
export type BodyShape = { depth: number; keys: number; isStored: boolean };

const usual: BodyShape = { depth: 20, keys: 1_000, isStored: true };
/** Import files hold up to a few hundred assistants with about a dozen fields each. */
const ofLargeBodies: BodyShape = { ...usual, keys: 20_000 };
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype']);
/** PostgreSQL's text cannot hold the character with the number 0. */
const unstorable = 'The request holds a character (U+0000) that cannot be stored.';

/** Half of a surrogate pair, left by a cut through a character. It has no form in UTF-8. */
const halved = 'The request holds half of a character, which is no text. Write it again.';

export const compressed = () => new AppError('unsupported_media_type', 'Send JSON as it is, not compressed.');

/** JSON, with bounds on its shape: depth, number of keys, no key twice, and none that could reach a prototype. */
export function readJsonBodies(app: FastifyInstance, usualLimit: number) {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (request.headers['content-encoding'] !== undefined) return done(compressed());
    const body = String(text);
    if (body === '') return done(null, {});
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      // Without its cause, which quotes the body: a password may stand there, and a log is no place for it.
      return done(new AppError('invalid_input', 'The request is not valid JSON.'));
    }
    const problem = shapeProblem(value, body, request.routeOptions.bodyLimit > usualLimit ? ofLargeBodies : usual);
    if (problem) return done(new AppError('invalid_input', problem));
    done(null, value);
  });
  // A form is left unread here: the route that takes one reads it as it arrives (router.ts refuses it elsewhere).
  // What a form without fields sends: only its address counts.
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: 1024 },
    (request, text, done) =>
      request.routeOptions.config.form && text === ''
        ? done(null)
        : done(new AppError('unsupported_media_type', 'Send JSON, with the content type application/json.')),
  );
  app.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));
}

/** What is wrong with the shape of a body that was parsed from `source`, as its sender is told; undefined: nothing. */
export function shapeProblem(root: unknown, source: string, shape: BodyShape): string | undefined {
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
  // Parsing keeps the last of equal names. Whatever reads the same text before us may go by the first.
  return names === namesIn(source) ? undefined : 'The request names a field twice.';
}

function valueProblem(value: unknown, depth: number, shape: BodyShape): string | undefined {
  if (typeof value === 'string') return shape.isStored ? textProblem(value) : undefined;
  const isNested = typeof value === 'object' && value !== null && depth >= shape.depth;
  return isNested ? `The request is nested deeper than ${shape.depth} levels.` : undefined;
}

function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return unstorable;
  return text.isWellFormed() ? undefined : halved;
}

function nameProblem(key: string): string | undefined {
  return textProblem(key) ?? (refusedKeys.has(key) ? `The field name ${key} is not allowed.` : undefined);
}

/** How many fields valid JSON names: the colons outside its texts. */
function namesIn(source: string): number {
  let names = 0;
  let colon = source.indexOf(':');
  let quote = source.indexOf('"');
  while (colon >= 0) {
    if (quote < 0 || colon < quote) {
      names++;
      colon = source.indexOf(':', colon + 1);
      continue;
    }
    const after = endOfText(source, quote);
    quote = source.indexOf('"', after);
    if (colon < after) colon = source.indexOf(':', after);
  }
  return names;
}

/** The place behind the text that begins at this quotation mark: one behind an odd number of backslashes ends none. */
function endOfText(source: string, start: number): number {
  for (let end = source.indexOf('"', start + 1); end >= 0; end = source.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (source[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
  return source.length;
}
