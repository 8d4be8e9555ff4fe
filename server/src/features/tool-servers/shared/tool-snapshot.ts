import { createHash } from 'node:crypto';
import { operationLimit } from '@roster/contracts/tool-servers/openapi-servers';
import type { ModelSchema } from './model-schema.ts';

/** A tool as its server describes it, within our bounds. */
export type ToolSnapshot = {
  name: string;
  title: string;
  description: string;
  /** JSON. */
  inputSchema: string;
  /** The same in the form that providers take. */
  modelSchema: ModelSchema;
  isReadOnly: boolean;
  /** Called twice, it has no other effect than once. */
  mayRepeat: boolean;
  digest: string;
  /** JSON: how the operation of an OpenAPI description is called. */
  operation?: string;
};

/** A tool or operation that is not offered, and why. */
export type OmittedTool = { operation: string; reason: string };
export const shownLeftOut = 100;

export const toolsAtMost = operationLimit;
/** With those that are left out. */
export const describedAtMost = 2_000;
export const titleLimit = 200;
export const descriptionLimit = 16 * 1024;
export const schemaLimit = 64 * 1024;
export const schemaDepth = 24;
/** All tools of a server together. */
export const totalLimit = 4 * 1024 * 1024;

/** PostgreSQL keeps no NUL, and no half of a character. */
export const sanitizeText = (text: string) => text.toWellFormed().replaceAll('\0', '');

export const cutTo = (text: string, limit: number) =>
  text.length > limit ? sanitizeText(text.slice(0, limit)) : sanitizeText(text);

/** The same text for the same value, in whatever order its fields came. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`;
}

/** What a tool is: another one has another digest. */
export const digestOf = (what: Record<string, unknown>) =>
  createHash('sha256').update(canonicalJson(what)).digest('hex');
