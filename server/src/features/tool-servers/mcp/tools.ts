import { tidyName } from '@roster/contracts/text/name';
import { toolNameLimit } from '@roster/contracts/tool-servers/tool-choice';
import { z } from 'zod';
import { toModelSchema } from '#server/features/tool-servers/shared/model-schema';
import { OmittedOperationError } from '#server/features/tool-servers/shared/references';
import {
  cutTo,
  descriptionLimit,
  digestOf,
  maxDescribed,
  maxTools,
  type OmittedTool,
  schemaLimit,
  shownLeftOut,
  type ToolSnapshot,
  titleLimit,
  totalLimit,
} from '#server/features/tool-servers/shared/tool-snapshot';
import { isObject } from '#server/lib/is-object';
import type { Ask } from './session.ts';

const schemaDepth = 24;

const maxPages = 50;

/** Checked one by one, within Roster's limits: a schema would first go through millions of them. */
const Page = z.looseObject({ tools: z.custom<unknown[]>(Array.isArray), nextCursor: z.string().max(4_000).nullish() });
const Name = z
  .string()
  .max(toolNameLimit)
  .regex(/^[\x21-\x7e]+$/);
const Text = z.string().optional().catch(undefined);
const Hint = z.boolean().default(false).catch(false);
const Described = z.looseObject({
  title: Text,
  description: z.string().default('').catch(''),
  annotations: z
    .looseObject({ title: Text, readOnlyHint: Hint, idempotentHint: Hint })
    .default({ readOnlyHint: false, idempotentHint: false })
    .catch({ readOnlyHint: false, idempotentHint: false }),
});

/** True if it is not nested deeper than this, without looking deeper. */
function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}

/** @throws OmittedOperationError */
function taken(described: unknown): ToolSnapshot {
  if (!isObject(described)) throw new OmittedOperationError('it is no tool');
  if (!isShallow(described, schemaDepth + 2))
    throw new OmittedOperationError('its arguments are nested deeper than Roster accepts');
  const { success, data: name } = Name.safeParse(described.name);
  if (!success) throw new OmittedOperationError('its name is too long or has characters that Roster does not accept');
  // A tool without arguments may omit them.
  const given = described.inputSchema ?? { type: 'object' };
  const schema = toModelSchema(given);
  if (!isObject(given) || !schema)
    throw new OmittedOperationError('its arguments are not an object, which every provider requires');
  const inputSchema = JSON.stringify(given);
  if (Buffer.byteLength(inputSchema) > schemaLimit)
    throw new OmittedOperationError('its arguments are larger than Roster accepts');
  const { title, description: text, annotations } = Described.parse(described);
  const description = cutTo(text, descriptionLimit);
  const isReadOnly = annotations.readOnlyHint;
  return {
    name,
    title: cutTo(tidyName(title ?? '') || tidyName(annotations.title ?? '') || name, titleLimit),
    description,
    inputSchema,
    modelSchema: schema,
    isReadOnly,
    mayRepeat: isReadOnly || annotations.idempotentHint,
    digest: digestOf({ description, inputSchema: given, isReadOnly }),
  };
}

const nameIn = (described: unknown) =>
  cutTo(tidyName(isObject(described) && typeof described.name === 'string' ? described.name : ''), titleLimit) ||
  '(no name)';

type ToolList = { tools: ToolSnapshot[]; leftOut: OmittedTool[]; leftOutCount: number; notice: string | null };

const counted = (count: number) => (count === 1 ? 'One tool was' : `${count} tools were`);

/** Collects what a server describes, up to Roster's limits. */
function gathered() {
  const tools = new Map<string, ToolSnapshot>();
  const leftOut: OmittedTool[] = [];
  let leftOutCount = 0;
  let size = 0;
  return {
    isFull: () => tools.size >= maxTools || tools.size + leftOutCount >= maxDescribed || size > totalLimit,
    take(described: unknown) {
      try {
        const tool = taken(described);
        if (tools.has(tool.name)) throw new OmittedOperationError('another tool has the same name');
        tools.set(tool.name, tool);
        size += tool.description.length + tool.inputSchema.length;
      } catch (error) {
        if (!(error instanceof OmittedOperationError)) throw error;
        leftOutCount++;
        if (leftOut.length < shownLeftOut) leftOut.push({ operation: nameIn(described), reason: error.message });
      }
    },
    listed(isCut: boolean): ToolList {
      const some = leftOutCount === 0 ? null : `${counted(leftOutCount)} left out. The list of its tools says why.`;
      const notice = isCut ? `It has more tools than Roster accepts; only the first ${tools.size} are listed.` : some;
      return { tools: [...tools.values()], leftOut, leftOutCount, notice };
    },
  };
}

/** The tools of a server, and what is left out, with the reasons. */
export async function listTools(ask: Ask): Promise<ToolList> {
  const found = gathered();
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const page = Page.parse(await ask('tools/list', cursor === undefined ? {} : { cursor }));
    for (const described of page.tools) {
      if (found.isFull()) return found.listed(true);
      found.take(described);
    }
    // Some servers end with an empty cursor.
    cursor = page.nextCursor || undefined;
    // A repeated cursor would start the same round again.
    if (cursor === undefined || cursors.has(cursor)) break;
    cursors.add(cursor);
  }
  return found.listed(false);
}
