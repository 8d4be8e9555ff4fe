type Pages<Item> = { pages: readonly { items: readonly Item[] }[] };

/** What all pages of a list hold, each once: pages that were read at different times may overlap. */
export const allItems = <Item extends { id: number }>(data: Pages<Item>): Item[] => [
  ...new Map(data.pages.flatMap(({ items }) => items).map((item) => [item.id, item])).values(),
];
