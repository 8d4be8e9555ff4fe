import type { Tool, ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import { fixtureDate } from './new-account.ts';

export const server = (id: number, more: Partial<ToolServer> = {}): ToolServer => ({
  id,
  name: `Server ${id}`,
  kind: 'mcp',
  url: 'https://tools.example.org/mcp',
  openApi: null,
  isOwn: true,
  isOffered: false,
  isOn: true,
  auth: { type: 'none', name: null, last4: null },
  signIn: null,
  state: 'ready',
  notice: null,
  lookedAt: fixtureDate,
  tools: 2,
  createdAt: fixtureDate,
  ...more,
});
/** Digests of a tool before and after a change. */
export const [before, now] = ['a'.repeat(64), 'b'.repeat(64)];
export const read: Tool = {
  name: 'read_note',
  title: 'Read a note',
  description: 'Reads <b>one</b> note.',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'integer', description: 'Its number' }, form: { enum: ['short', 'long'] } },
    required: ['id'],
  },
  isReadOnly: true,
  digest: now,
};
export const write: Tool = { ...read, name: 'write_note', title: 'Write a note', isReadOnly: false };
