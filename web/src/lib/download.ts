/** Hands a JSON document to the browser as a download. */
export function saveJson(filename: string, content: unknown): void {
  saveText(filename, `${JSON.stringify(content, null, 2)}\n`, 'application/json');
}

/** Hands a text to the browser as a download. */
export const saveText = (filename: string, text: string, type: string) =>
  saveBlob(filename, new Blob([text], { type }));

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
