/** Turns a name into a file name without extension: 'Research Helper' becomes 'research-helper'. */
export function slugFileName(name: string, otherwise: string): string {
  const plain = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-');
  // Truncates by whole characters.
  return (
    [...plain]
      .slice(0, 60)
      .join('')
      .replaceAll(/^-+|-+$/g, '') || otherwise
  );
}
