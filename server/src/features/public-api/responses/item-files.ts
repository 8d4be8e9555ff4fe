import { isObject, type JsonObject } from '#server/lib/is-object';

/** Names a file as the other side knows it. Returns undefined if it is unknown there; the file is then left out. */
export type RenameFile = (id: string) => { file_id: string; filename?: string } | undefined;

const renamed = (parts: unknown[], naming: RenameFile): unknown[] =>
  parts.flatMap((part) => {
    if (!isObject(part) || typeof part.file_id !== 'string') return [part];
    const name = naming(part.file_id);
    return name ? [{ ...part, ...name }] : [];
  });

/** Citations only: files that code has made in a container of the provider are not Roster's. */
const renamedAnnotations = (annotations: unknown[], naming: RenameFile): unknown[] =>
  annotations.flatMap((one) => (isObject(one) && one.type === 'file_citation' ? renamed([one], naming) : [one]));

const renamedPart = (part: unknown, naming: RenameFile): unknown =>
  isObject(part) && Array.isArray(part.annotations)
    ? { ...part, annotations: renamedAnnotations(part.annotations, naming) }
    : part;

/** An item with the other side's names for files found and cited. */
export function renameFilesInItem<Item extends JsonObject>(item: Item, naming: RenameFile): Item {
  const { type, results, content } = item;
  return {
    ...item,
    ...(type === 'file_search_call' && Array.isArray(results) && { results: renamed(results, naming) }),
    ...(Array.isArray(content) && { content: content.map((part: unknown) => renamedPart(part, naming)) }),
  };
}

/** Names of the files found and cited. */
export function fileNamesIn(items: JsonObject[]): string[] {
  const names = new Set<string>();
  for (const item of items)
    renameFilesInItem(item, (id) => {
      names.add(id);
      return { file_id: id };
    });
  return [...names];
}

/** Renames files in the events of a response. Returns undefined for an event that only reports what is left out. */
export function createEventRenamer(naming: RenameFile) {
  const leftOut = new Map<string, number>();

  /** Moves up annotations that follow one left out. */
  function annotation(event: JsonObject): JsonObject | undefined {
    const { item_id: item, content_index: part, annotation_index: index } = event;
    const place = `${item} ${part}`;
    const before = leftOut.get(place) ?? 0;
    const [one] = renamedAnnotations([event.annotation], naming);
    if (one === undefined) return void leftOut.set(place, before + 1);
    return { ...event, annotation: one, ...(typeof index === 'number' && { annotation_index: index - before }) };
  }

  return (type: string, event: JsonObject): JsonObject | undefined => {
    switch (type) {
      case 'response.output_item.added':
      case 'response.output_item.done':
        return isObject(event.item) ? { ...event, item: renameFilesInItem(event.item, naming) } : event;
      case 'response.content_part.added':
      case 'response.content_part.done':
        return { ...event, part: renamedPart(event.part, naming) };
      case 'response.output_text.annotation.added':
        return annotation(event);
      default:
        return event;
    }
  };
}
