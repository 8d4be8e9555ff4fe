/** Downloads a JSON document. */
export function saveJson(filename: string, content: unknown): void {
  saveText(filename, `${JSON.stringify(content, null, 2)}\n`, 'application/json');
}

/** Downloads a text. */
export const saveText = (filename: string, text: string, type: string) =>
  saveBlob(filename, new Blob([text], { type }));

/** Downloads a blob. */
export function saveBlob(filename: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  saveFrom(url, filename);
  // The download no longer needs the URL by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Downloads from a URL; without a file name the response names it. */
export function saveFrom(url: string, filename = ''): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = filename;
  link.click();
}
