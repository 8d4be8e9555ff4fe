import { createHash } from 'node:crypto';
import { operationLimit } from '@roster/contracts/tool-servers/openapi-servers';
import type { ModelSchema } from './model-schema.ts';

/** A tool as its server describes it, within Roster's limits. */
export type ToolSnapshot = {
  name: string;
  title: string;
  description: string;
  /** JSON. */
  inputSchema: string;
  /** The same in the form that providers accept. */
  modelSchema: ModelSchema;
  isReadOnly: boolean;
  /** Calling it twice has the same effect as calling it once. */
  mayRepeat: boolean;
  digest: string;
  /** JSON: how to call the operation of an OpenAPI description. */
  operation?: string;
};

/** A tool or operation that is not offered, and the reason. */
export type OmittedTool = { operation: string; reason: string };
export const shownLeftOut = 100;

export const maxTools = operationLimit;
/** Including those that are left out. */
export const maxDescribed = 2_000;
export const titleLimit = 200;
export const descriptionLimit = 16 * 1024;
export const schemaLimit = 64 * 1024;
/** For all tools of a server together. */
export const totalLimit = 4 * 1024 * 1024;

/** PostgreSQL stores neither NUL nor lone surrogates. */
export const sanitizeText = (text: string) => text.toWellFormed().replaceAll('\0', '');

export const cutTo = (text: string, limit: number) =>
  text.length > limit ? sanitizeText(text.slice(0, limit)) : sanitizeText(text);

/** The same text for the same value, whatever the order of its fields. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`;
}

/** Identifies a tool's definition: any other has another digest. */
export const digestOf = (what: Record<string, unknown>) =>
  createHash('sha256').update(canonicalJson(what)).digest('hex');
