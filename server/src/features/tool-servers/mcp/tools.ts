import { toolNameLimit } from '@roster/contracts/tool-servers';
import { z } from 'zod';
import {
  cutTo,
  describedAtMost,
  descriptionLimit,
  digestOf,
  type SeenTool,
  schemaDepth,
  schemaLimit,
  titleLimit,
  toolsAtMost,
  totalLimit,
} from '#server/features/tool-servers/seen-tool';
import type { Ask } from './session.ts';

const pagesAtMost = 50;

/** Looked at one by one, up to our bounds: a schema would go through millions of them first. */
const Page = z.looseObject({ tools: z.custom<unknown[]>(Array.isArray), nextCursor: z.string().max(4_000).nullish() });
const Described = z.looseObject({
  name: z
    .string()
    .max(toolNameLimit)
    .regex(/^[\x21-\x7e]+$/),
  title: z.string().optional().catch(undefined),
  description: z.string().default('').catch(''),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  annotations: z
    .looseObject({
      title: z.string().optional().catch(undefined),
      readOnlyHint: z.boolean().default(false).catch(false),
      idempotentHint: z.boolean().default(false).catch(false),
    })
    .default({ readOnlyHint: false, idempotentHint: false })
    .catch({ readOnlyHint: false, idempotentHint: false }),
});

/** Whether it is nested no deeper, found without going deeper than that. */
function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}

/** null: larger or stranger than what is taken. */
function taken(described: unknown): SeenTool | null {
  if (!isShallow(described, schemaDepth + 2)) return null;
  const { success, data } = Described.safeParse(described);
  if (!success) return null;
  const inputSchema = JSON.stringify(data.inputSchema);
  if (Buffer.byteLength(inputSchema) > schemaLimit) return null;
  const { name, annotations } = data;
  const description = cutTo(data.description, descriptionLimit);
  const isReadOnly = annotations.readOnlyHint;
  return {
    name,
    title: cutTo(data.title || annotations.title || name, titleLimit),
    description,
    inputSchema,
    isReadOnly,
    mayRepeat: isReadOnly || annotations.idempotentHint,
    digest: digestOf({ description, inputSchema: data.inputSchema, isReadOnly }),
  };
}

const counted = (count: number) => (count === 1 ? 'One tool was' : `${count} tools were`);

/** What a server has, and what of it is left out, in words. */
export async function listTools(ask: Ask): Promise<{ tools: SeenTool[]; notice: string | null }> {
  const tools = new Map<string, SeenTool>();
  const cursors = new Set<string>();
  let leftOut = 0;
  let size = 0;
  let cursor: string | undefined;
  for (let pages = 0; pages < pagesAtMost; pages++) {
    const page = Page.parse(await ask('tools/list', cursor === undefined ? {} : { cursor }));
    for (const described of page.tools) {
      if (tools.size >= toolsAtMost || tools.size + leftOut >= describedAtMost || size > totalLimit)
        return {
          tools: [...tools.values()],
          notice: `It has more tools than Roster takes: the first ${tools.size} are here.`,
        };
      const tool = taken(described);
      if (!tool || tools.has(tool.name)) leftOut++;
      else {
        tools.set(tool.name, tool);
        size += tool.description.length + tool.inputSchema.length;
      }
    }
    cursor = page.nextCursor ?? undefined;
    // One that was there before would begin the same round again.
    if (cursor === undefined || cursors.has(cursor)) break;
    cursors.add(cursor);
  }
  const notice =
    leftOut === 0
      ? null
      : `${counted(leftOut)} left out: a name, description or schema that Roster cannot take, or the same name twice.`;
  return { tools: [...tools.values()], notice };
}
