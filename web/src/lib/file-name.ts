/** What a person has named, as the name of a file without its ending: 'Research Helper' becomes 'research-helper'. */
export function slugFileName(name: string, otherwise: string): string {
  const plain = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-');
  // By whole characters: half of one is no name.
  return (
    [...plain]
      .slice(0, 60)
      .join('')
      .replaceAll(/^-+|-+$/g, '') || otherwise
  );
}
