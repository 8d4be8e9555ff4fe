import type { ImportedMessage } from '#server/conversation/imported';

/** A message in an export. `shown` is null if it is not taken along, but others may follow it. */
export type TreeNode = {
  id: string;
  parent: string | null;
  shown: Omit<ImportedMessage, 'sourceId' | 'parent'> | null;
};

/** Gives every node an id of its own. The first node with an id keeps it, so that references stay valid. */
function byId(nodes: TreeNode[]): Map<string, TreeNode> {
  const found = new Map<string, TreeNode>();
  for (const node of nodes) {
    let id = node.id;
    for (let copy = 2; found.has(id); copy++) id = `${node.id}#${copy}`;
    found.set(id, { ...node, id });
  }
  return found;
}

/** The nearest earlier message that is shown. Nodes on a cycle without one have none. */
function shownParents(nodes: Map<string, TreeNode>): Map<string, string | null> {
  const resolved = new Map<string, string | null>();
  for (const { id } of nodes.values()) {
    const passed: string[] = [];
    const seen = new Set<string>();
    let answer: string | null = null;
    for (let at: string | null = id; at !== null && !seen.has(at); ) {
      const ready = resolved.get(at);
      if (ready !== undefined) {
        answer = ready;
        break;
      }
      seen.add(at);
      passed.push(at);
      const parent: string | null = nodes.get(at)?.parent ?? null;
      const above: TreeNode | undefined = parent === null ? undefined : nodes.get(parent);
      if (above?.shown) {
        answer = above.id;
        break;
      }
      at = above?.id ?? null;
    }
    for (const one of passed) resolved.set(one, answer);
  }
  return resolved;
}

const earlier = (a: TreeNode, b: TreeNode) => {
  const [first, second] = [a.shown?.createdAt ?? '', b.shown?.createdAt ?? ''];
  return first < second ? -1 : Number(first > second);
};

/**
 * The shown messages with parents first. Nothing shown is lost: a message whose parent is missing opens a branch, and
 * so does one message of a cycle.
 */
export function messagesInOrder(given: TreeNode[]): ImportedMessage[] {
  const nodes = byId(given);
  const parents = shownParents(nodes);
  const shown = [...nodes.values()].filter((node) => node.shown !== null);
  const children = Map.groupBy(shown.toSorted(earlier), ({ id }) => parents.get(id) ?? null);
  const ordered: ImportedMessage[] = [];
  const placed = new Set<string>();

  function place(root: TreeNode) {
    const waiting: { node: TreeNode; parent: string | null }[] = [{ node: root, parent: null }];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { node, parent } = next;
      if (placed.has(node.id) || !node.shown) continue;
      placed.add(node.id);
      ordered.push({ sourceId: node.id, parent, ...node.shown });
      for (const child of (children.get(node.id) ?? []).toReversed()) waiting.push({ node: child, parent: node.id });
    }
  }

  for (const root of children.get(null) ?? []) place(root);
  for (const left of shown) place(left);
  return ordered;
}

/** The message itself if it is shown, otherwise the nearest one before it. */
export function shownAt(given: TreeNode[], id: string | null): string | null {
  const nodes = new Map(given.map((node) => [node.id, node]));
  const seen = new Set<string>();
  for (let at = id; at !== null && !seen.has(at); at = nodes.get(at)?.parent ?? null) {
    seen.add(at);
    if (nodes.get(at)?.shown) return at;
  }
  return null;
}
