import { z } from 'zod';

/** Place of a tool's argument in the request. */
export const Parameter = z.strictObject({
  /** Name of the argument. */
  argument: z.string(),
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  style: z.enum(['simple', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'json']),
  explode: z.boolean(),
});
export type Parameter = z.output<typeof Parameter>;

/** How to call an operation of a description; stored with its tool. */
export const Operation = z.strictObject({
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']),
  /** With placeholders in braces. */
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

/** A body in the format of a URL's query. */
export const isForm = (type: string) => /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type);
