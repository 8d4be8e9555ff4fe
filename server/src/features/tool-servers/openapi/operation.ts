import { z } from 'zod';

/** Where an argument of a tool goes in the request. */
export const Parameter = z.strictObject({
  /** What the tool calls it. */
  argument: z.string(),
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  style: z.enum(['simple', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json']),
  explode: z.boolean(),
});
export type Parameter = z.output<typeof Parameter>;

/** How an operation of a description is called; kept with its tool. */
export const Operation = z.strictObject({
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']),
  /** With its places in braces. */
  path: z.string(),
  parameters: z.array(Parameter),
  /** The argument that is the body, and its media type. */
  body: z.strictObject({ argument: z.string(), type: z.string() }).nullable(),
});
export type Operation = z.output<typeof Operation>;

/** Headers that belong to the request itself or to its sender. */
const ownHeaders = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'cookie2',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'origin',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
]);

export const isOwnHeader = (name: string) => {
  const lower = name.toLowerCase();
  return ownHeaders.has(lower) || /^(proxy|sec)-|^x-forwarded-/.test(lower);
};

/** A body that is written as an address writes its query. */
export const isForm = (type: string) => /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type);
