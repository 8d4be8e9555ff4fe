import { crc32, inflateRawSync } from 'node:zlib';
import { request } from 'undici';
import type { HttpClient } from './http-client.ts';

/** Starts a download as a browser does; what is not read stays with the server. */
export function beginDownload(place: { url: string }, visitor: HttpClient, path: string) {
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return request(`${place.url}${path}`, { headers: { cookie } });
}

/** The files of an archive by name, each verified against its checksum. */
export function unzip(archive: Buffer): Map<string, string> {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06'));
  if (end < 0) throw new Error('This archive has no end');
  const files = new Map<string, string>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== 0x02014b50) throw new Error(`No file is described at ${at}`);
    const [sum, size] = [archive.readUInt32LE(at + 16), archive.readUInt32LE(at + 20)];
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    const local = archive.readUInt32LE(at + 42);
    const name = archive.toString('utf8', at + 46, at + 46 + Number(nameLength));
    const data = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const content = inflateRawSync(archive.subarray(data, data + size));
    if (crc32(content) !== sum) throw new Error(`${name} is damaged`);
    files.set(name, content.toString());
    at += 46 + Number(nameLength) + Number(extraLength) + Number(commentLength);
  }
  return files;
}

export const jsonLines = (text: string | undefined) =>
  (text ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
