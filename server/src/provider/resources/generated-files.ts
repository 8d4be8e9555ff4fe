import { fileSizeLimit } from '@roster/contracts/files/files';
import { tidyName } from '@roster/contracts/text/name';
import { truncate } from '@roster/contracts/text/truncate';
import { z } from 'zod';

const generatedFileLimit = 20;

/** A file in a container, by the provider’s ids. */
export type ContainerFile = { containerId: string; fileId: string };

/** A file that a provider's tool generated for an answer: still in its container, or already here. */
export type GeneratedFile = { filename: string } & ({ container: ContainerFile } | { bytes: Buffer });

/** None contains a character with a meaning in URLs. */
const ContainerPart = z.string().regex(/^[A-Za-z0-9_-]{1,200}$/);

const Citation = z.object({
  type: z.literal('container_file_citation'),
  container_id: ContainerPart,
  file_id: ContainerPart,
  filename: z.string().catch(''),
});
const ImageOutput = z.object({ type: z.literal('image'), url: z.string() });

/** Detected by the first bytes: PNG, JPEG or WebP, the formats that pages show. */
const isPicture = (bytes: Buffer) =>
  bytes.toString('hex', 0, 8) === '89504e470d0a1a0a' ||
  bytes.toString('hex', 0, 3) === 'ffd8ff' ||
  (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP');

const nameLimit = 255;
/** The last part of what may be a path in the container. */
const nameOf = (path: string) => truncate(tidyName(path.split('/').at(-1) ?? ''), nameLimit);

const dataAddress = /^data:image\/[a-z0-9.+-]{1,40};base64,/i;
const containerAddress =
  /\/containers\/([A-Za-z0-9_-]{1,200})\/files\/([A-Za-z0-9_-]{1,200})(?:\/content)?(?:[?#].*)?$/;

/** The container file that a URL of the provider names. The URL itself is never requested. */
function fileAt(url: string): ContainerFile | undefined {
  const [, containerId, fileId] = url.length <= 2_000 ? (containerAddress.exec(url) ?? []) : [];
  return containerId !== undefined && fileId !== undefined ? { containerId, fileId } : undefined;
}

type Listeners = { tell: (made: GeneratedFile) => void; tooMany: (note: string) => void };

/** Reports the generated files of an answer, each once, up to the limit. */
export function generatedFileReader({ tell, tooMany }: Listeners) {
  const seen = new Set<string>();
  let count = 0;
  let bytesHere = 0;
  let isFull = false;

  function leaveOut() {
    if (!isFull)
      tooMany(`The answer created more than the limit of ${generatedFileLimit} files. The others were left out.`);
    isFull = true;
  }

  function add(made: GeneratedFile) {
    if (count >= generatedFileLimit) return leaveOut();
    count++;
    tell(made);
  }

  function inContainer(container: ContainerFile, filename: string) {
    const key = `${container.containerId} ${container.fileId}`;
    if (seen.has(key)) return;
    seen.add(key);
    add({ filename, container });
  }

  /** The name of an image without one; the extension follows from its bytes. */
  const pictureName = () => `picture ${count + 1}`;

  /** An image whose bytes came with the answer, in base64. */
  function picture(base64: string) {
    keepPicture(Buffer.from(base64, 'base64'));
  }

  function keepPicture(bytes: Buffer) {
    bytesHere += bytes.length;
    // Images are in memory until they are stored.
    if (bytesHere > fileSizeLimit) return leaveOut();
    if (bytes.length > 0) add({ filename: pictureName(), bytes });
  }

  /** An image by the model. false: not an image. */
  function generated(base64: string): boolean {
    const bytes = Buffer.from(base64, 'base64');
    if (!isPicture(bytes)) return false;
    keepPicture(bytes);
    return true;
  }

  return {
    generated,
    /** Likewise for a data URL. */
    shown: (address: string) => dataAddress.test(address) && generated(address.slice(address.indexOf(',') + 1)),
    cited(annotation: unknown) {
      const citation = Citation.safeParse(annotation);
      if (!citation.success) return;
      const { container_id: containerId, file_id: fileId, filename } = citation.data;
      inContainer({ containerId, fileId }, nameOf(filename) || `file ${count + 1}`);
    },
    /** Returns the outputs of code as stored with the call: images are replaced by a mention. */
    ofOutputs(outputs: readonly unknown[]): unknown[] {
      return outputs.map((output) => {
        const image = ImageOutput.safeParse(output);
        if (!image.success) return output;
        const { type, url } = image.data;
        const container = fileAt(url);
        if (container) inContainer(container, pictureName());
        else if (dataAddress.test(url)) picture(url.slice(url.indexOf(',') + 1));
        return { type };
      });
    },
  };
}

export type GeneratedFileReader = ReturnType<typeof generatedFileReader>;
