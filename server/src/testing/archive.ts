import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { contentOf, fileSource, tarMembers, tarWriter } from '#server/backup/tar';

type Member = { name: string; content: Buffer };
type Manifest = { tables: { name: string; rows: number; sha256: string }[]; files: { count: number; bytes: number } };

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** Everything in a backup except its manifest, in order. */
async function membersOf(file: FileHandle): Promise<Member[]> {
  const source = await fileSource(file);
  const found = (await tarMembers(source)) ?? new Map();
  const members: Member[] = [];
  for (const member of found.values()) {
    const pieces: Buffer[] = [];
    for await (const piece of contentOf(source, member)) pieces.push(piece);
    members.push({ name: member.name, content: Buffer.concat(pieces) });
  }
  return members;
}

/** A forged backup: other members, with a matching manifest. */
export async function forgeBackup(backup: string, target: string, change: (members: Member[]) => Member[]) {
  const source = await open(backup, 'r');
  const all = await membersOf(source).finally(() => source.close());
  const isManifest = ({ name }: Member) => name.startsWith('manifest.json');
  const members = change(all.filter((member) => !isManifest(member)));
  const manifest: Manifest = JSON.parse(String(all.find(isManifest)?.content));
  for (const table of manifest.tables) {
    const { content } = members.find(({ name }) => name === `tables/${table.name}.jsonl`) ?? {
      content: Buffer.alloc(0),
    };
    table.rows = content.toString().split('\n').length - 1;
    table.sha256 = sha256(content);
  }
  const files = members.filter(({ name }) => name.startsWith('files/'));
  manifest.files = { count: files.length, bytes: files.reduce((sum, { content }) => sum + content.length, 0) };
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  const file = await open(target, 'wx');
  const tar = tarWriter(file, new Date());
  for (const { name, content } of [
    ...members,
    { name: 'manifest.json', content: text },
    { name: 'manifest.json.sha256', content: Buffer.from(`${sha256(text)}  manifest.json\n`) },
  ])
    await tar.add(name, [content]);
  await tar.finish();
  await file.close();
}
