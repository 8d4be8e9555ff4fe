import { z } from 'zod';
import { Id } from '../endpoint.ts';
import { requiredText } from '../text/text.ts';

/** When a tool call needs the user’s approval: every time, once per conversation, or never. */
export const ToolApproval = z.enum(['always', 'once', 'never']);
export type ToolApproval = z.output<typeof ToolApproval>;

/** Tools that an assistant may choose, and that a model is offered. */
export const chosenToolLimit = 128;
export const toolNameLimit = 128;

const Digest = z.string().regex(/^[0-9a-f]{64}$/, 'Invalid tool digest');

export const ToolChoice = z.strictObject({
  serverId: Id,
  name: requiredText(toolNameLimit, `A tool’s name cannot exceed ${toolNameLimit} characters`, 'The tool is required'),
  approval: ToolApproval,
  /** The digest of the tool as the user saw it. */
  digest: Digest,
});
export type ToolChoice = z.output<typeof ToolChoice>;

export const ToolChoices = z
  .array(ToolChoice)
  .max(chosenToolLimit, `An assistant can have at most ${chosenToolLimit} tools`)
  .refine(
    (tools) => new Set(tools.map(({ serverId, name }) => `${serverId} ${name}`)).size === tools.length,
    'Name each tool once',
  );
