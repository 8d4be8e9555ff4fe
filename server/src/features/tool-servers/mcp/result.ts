import { z } from 'zod';
import type { ToolResult } from '#server/conversation/tools';
import { maskSecret, sizeOf, truncateResult } from '#server/features/tool-servers/shared/result-text';
import { sanitizeText } from '#server/features/tool-servers/shared/tool-snapshot';

const maxItems = 1_000;

const Result = z.looseObject({
  content: z.custom<unknown[]>(Array.isArray).default([]).catch([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false).catch(false),
});
const Text = z.looseObject({ type: z.literal('text'), text: z.string() });
const Binary = z.looseObject({ type: z.enum(['image', 'audio']), data: z.string() });
const Link = z.looseObject({ type: z.literal('resource_link'), uri: z.string() });
const Resource = z.looseObject({
  type: z.literal('resource'),
  resource: z.looseObject({
    uri: z.string().default(''),
    text: z.string().optional(),
    blob: z.string().optional(),
  }),
});

/** Size of the bytes that base64 encodes. */
const bytesIn = (base64: string) => Math.floor((base64.length * 3) / 4);
const shortened = (text: string) => (text.length > 500 ? `${text.slice(0, 500)}…` : text);

/** One part, as text for a model. */
function partText(part: unknown): string {
  const text = Text.safeParse(part);
  if (text.success) return text.data.text;
  const binary = Binary.safeParse(part);
  if (binary.success) return `[${binary.data.type}, ${sizeOf(bytesIn(binary.data.data))}]`;
  const link = Link.safeParse(part);
  if (link.success) return `[link to ${shortened(link.data.uri)}]`;
  const { success, data } = Resource.safeParse(part);
  if (!success) return '[something that cannot be shown]';
  const { uri, text: content, blob } = data.resource;
  if (content !== undefined) return `[resource ${shortened(uri)}]\n${content}`;
  return `[resource ${shortened(uri)}, ${sizeOf(bytesIn(blob ?? ''))}]`;
}

/** Turns a tool’s answer into text without the secrets of its connection. @throws ZodError if it is no result */
export function resultText(answer: unknown, secrets: readonly string[] = []): ToolResult {
  const { content, structuredContent, isError } = Result.parse(answer);
  const parts = content.slice(0, maxItems).map(partText);
  if (content.length > maxItems) parts.push(`[${content.length - maxItems} further parts were left out]`);
  const isStructured = content.length === 0 && structuredContent !== undefined;
  const text = isStructured ? JSON.stringify(structuredContent) : parts.join('\n');
  const masked = secrets.reduce<string>(maskSecret, sanitizeText(text));
  return { text: truncateResult(masked), isError };
}
