/** Hands a text to the browser as a download. */
export function saveText(filename: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = filename;
  link.click();
  // The download has its own hold on the data by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Hands a JSON document to the browser as a download. */
export function saveJson(filename: string, content: unknown): void {
  saveText(filename, `${JSON.stringify(content, null, 2)}\n`, 'application/json');
}
