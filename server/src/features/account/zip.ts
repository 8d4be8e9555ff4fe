import { Readable } from 'node:stream';
import type { ExportEntry } from '#server/features/feature';

/**
 * Creates one archive of entries that are requested one after the other and read only as fast as the archive is.
 * Destroying it stops the reading. If an entry fails, the archive breaks off instead of looking complete.
 */
export async function createZip(entries: AsyncIterable<ExportEntry>): Promise<Readable> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const archive = zip.outputStream;
  if (!(archive instanceof Readable)) throw new TypeError('yazl gave an output that is not a stream of Node');
  let leave: () => void = () => undefined;

  const added = ({ name, content }: ExportEntry) =>
    new Promise<void>((resolve, reject) => {
      leave = resolve;
      zip.addReadStreamLazy(name, (begin) => {
        const source = Readable.from(content);
        source.once('error', reject);
        source.once('close', resolve);
        leave = () => source.destroy();
        begin(null, source);
      });
    });

  const fill = async () => {
    for await (const entry of entries) {
      if (archive.destroyed) return;
      await added(entry);
      if (archive.destroyed) return;
    }
    zip.end();
  };

  archive.once('close', () => leave());
  zip.on('error', (error) => archive.destroy(error));
  fill().catch((error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))));
  return archive;
}
