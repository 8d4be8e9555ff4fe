import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';

const maxDepth = 20;
const maxKeys = 1_000;
/** Import files hold up to a few hundred assistants with about a dozen fields each. */
const maxKeysOfLargeBodies = 20_000;
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype']);
/** PostgreSQL's text cannot hold the character with the number 0. */
const unstorable = 'The request holds a character (U+0000) that cannot be stored.';

/** JSON, with bounds on its shape: depth, number of keys, and no key that could reach a prototype. */
export function readJsonBodies(app: FastifyInstance, usualLimit: number) {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (request.headers['content-encoding'] !== undefined)
      return done(new AppError('unsupported_media_type', 'Send JSON as it is, not compressed.'));
    const body = String(text);
    if (body === '') return done(null, {});
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch (cause) {
      return done(new AppError('invalid_input', 'The request is not valid JSON.', { cause }));
    }
    const keys = request.routeOptions.bodyLimit > usualLimit ? maxKeysOfLargeBodies : maxKeys;
    const problem = shapeProblem(value, keys);
    if (problem) return done(new AppError('invalid_input', problem));
    done(null, value);
  });
  // A form is left unread here: the route that takes one reads it as it arrives (router.ts refuses it elsewhere).
  app.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));
}

function shapeProblem(root: unknown, keysAllowed: number): string | undefined {
  let keys = 0;
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let item = open.pop(); item; item = open.pop()) {
    const { value, depth } = item;
    if (typeof value === 'string' && value.includes('\0')) return unstorable;
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= maxDepth) return `The request is nested deeper than ${maxDepth} levels.`;
    for (const [key, child] of Object.entries(value)) {
      if (key.includes('\0')) return unstorable;
      if (refusedKeys.has(key)) return `The field name ${key} is not allowed.`;
      if (++keys > keysAllowed) return `The request has more than ${keysAllowed} fields.`;
      open.push({ value: child, depth: depth + 1 });
    }
  }
  return undefined;
}
