/** Hands a JSON document to the browser as a download. */
export function saveJson(filename: string, content: unknown): void {
  saveBlob(filename, new Blob([`${JSON.stringify(content, null, 2)}\n`], { type: 'application/json' }));
}

/** Hands a file to the browser as a download. */
export function saveBlob(filename: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  saveFrom(url, filename);
  // The download has its own hold on the data by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Lets the browser download what an address gives; without a name the answer names it. */
export function saveFrom(url: string, filename = ''): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = filename;
  link.click();
}
