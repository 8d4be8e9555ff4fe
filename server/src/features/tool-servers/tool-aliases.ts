import { createHash } from 'node:crypto';

type Named = { serverId: number; serverName: string; tool: string };

const longest = 64;
const longestServer = 24;

/** What providers allow in a name of a function. */
const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '');

const nameOf = ({ serverName, tool }: Named) =>
  `${plain(serverName).slice(0, longestServer) || 'server'}__${plain(tool) || 'tool'}`;

/** Told apart by where it comes from, so that it keeps its name whatever else is offered beside it. */
function marked({ serverId, tool }: Named, name: string): string {
  const mark = createHash('sha256').update(`${serverId} ${tool}`).digest('hex').slice(0, 8);
  return `${name.slice(0, longest - mark.length - 1)}_${mark}`;
}

/** What a model calls each of these tools, in their order: no two alike. */
export function toolAliases(tools: readonly Named[]): string[] {
  const names = tools.map(nameOf);
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return tools.map((tool, at) => {
    const name = names[at] ?? '';
    return name.length > longest || (counts.get(name) ?? 0) > 1 ? marked(tool, name) : name;
  });
}
