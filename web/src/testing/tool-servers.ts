import { type Tool, type ToolServer, toolServers } from '@roster/contracts/tool-servers/tool-servers';
import { page } from 'vitest/browser';
import { answer } from './answers.ts';
import { open } from './app.tsx';
import { fixtureDate, person } from './new-account.ts';

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

export const rows = page.getByRole('list', { name: 'Tool servers' }).getByRole('listitem');

/** Opens the tool servers of the settings, as they are answered. */
export function openTools(
  given: ToolServer[],
  role: 'Admin' | 'Editor' | 'Viewer' = 'Editor',
  commands: string[] = [],
) {
  open('/settings?tab=tools', {
    user: { ...person, role },
    answers() {
      answer(toolServers.list, given);
      answer(toolServers.commands, commands);
      answer(toolServers.tools, {
        tools: [read, write],
        leftOut: [],
        leftOutCount: 0,
        usedBy: [],
        usedByCount: 0,
        otherPeople: 0,
      });
    },
  });
}
