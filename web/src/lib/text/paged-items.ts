type Pages<Item> = { pages: readonly { items: readonly Item[] }[] };

/** Items of all pages without duplicates: pages fetched at different times may overlap. */
export const allItems = <Item extends { id: number }>(data: Pages<Item>): Item[] => [
  ...new Map(data.pages.flatMap(({ items }) => items).map((item) => [item.id, item])).values(),
];
