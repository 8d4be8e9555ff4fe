import { createHash } from 'node:crypto';

type ToolName = { serverId: number; serverName: string; tool: string };

const longest = 64;
const longestServer = 24;

/** Reduces a text to what providers allow in a function's name. */
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '');

const nameOf = ({ serverName, tool }: ToolName) =>
  `${plain(serverName).slice(0, longestServer) || 'server'}__${plain(tool) || 'tool'}`;

/** Adds a mark of its origin, so that a tool keeps its name whatever else is offered. */
function marked({ serverId, tool }: ToolName, name: string): string {
  const mark = createHash('sha256').update(`${serverId} ${tool}`).digest('hex').slice(0, 8);
  return `${name.slice(0, longest - mark.length - 1)}_${mark}`;
}

/** Unique names for these tools, in order, by which a model calls them. */
export function toolAliases(tools: readonly ToolName[]): string[] {
  const names = tools.map(nameOf);
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return tools.map((tool, at) => {
    const name = names[at] ?? '';
    return name.length > longest || (counts.get(name) ?? 0) > 1 ? marked(tool, name) : name;
  });
}
