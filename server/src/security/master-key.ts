import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDataFolder, orStartupError } from '#server/lib/data-folder';
import { StartupError } from '#server/lib/errors';
import { Secret } from './secret.ts';

/** A key-encryption key and the id by which stored values name it. */
export type MasterKey = { id: string; key: Secret<Buffer> };

export class InvalidMasterKeyError extends StartupError {
  override name = 'InvalidMasterKeyError';
}

/** `text`: one or several 32-byte keys in base64, separated by commas; the first encrypts, all decrypt. */
export function parseMasterKeys(text: string, source: string): MasterKey[] {
  const parts = text.trim().split(/\s*,\s*/);
  const keys = parts.map((part) => parseMasterKey(part, source));
  if (new Set(keys.map((key) => key.id)).size !== keys.length)
    throw new InvalidMasterKeyError(`${source} names the same key twice.`);
  return keys;
}

function parseMasterKey(text: string, source: string): MasterKey {
  const how = `Make one with: openssl rand -base64 32`;
  if (text === '') throw new InvalidMasterKeyError(`${source} is empty. ${how}`);
  const key = Buffer.from(text, 'base64');
  // Re-encoding detects what Buffer.from silently skips: typos, line breaks, a password instead of a key.
  const canonical = key.toString('base64').replace(/=+$/, '');
  if (canonical !== text.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/'))
    throw new InvalidMasterKeyError(`${source} is not base64. ${how}`);
  if (key.length !== 32) throw new InvalidMasterKeyError(`${source} must be 32 bytes, it is ${key.length}. ${how}`);
  if (looksLikeExample(key)) throw new InvalidMasterKeyError(`${source} is not random enough to be a key. ${how}`);
  return { id: createHash('sha256').update(key).digest('hex').slice(0, 8), key: new Secret(key) };
}

/** Constant, repeated, counting or readable bytes: an example from a document, not a key. */
function looksLikeExample(key: Buffer): boolean {
  if (new Set(key).size < 16) return true;
  if (key.subarray(0, 16).equals(key.subarray(16))) return true;
  const steps = new Set(key.subarray(1).map((byte, index) => (byte - (key[index] ?? 0) + 256) % 256));
  return steps.size < 4 || /^[\x20-\x7e]+$/.test(key.toString('latin1'));
}

/** The master key file of a loopback installation, unless a key is configured. */
export const masterKeyFile = (dataDir: string) => join(dataDir, 'master.key');

/** The key of a loopback installation: generated at the first start, readable by its owner only. */
export function generatedMasterKeys(dataDir: string): MasterKey[] {
  const file = masterKeyFile(dataDir);
  if (!existsSync(file)) {
    createDataFolder(dataDir);
    const text = `${randomBytes(32).toString('base64')}\n`;
    orStartupError(dataDir, () => writeFileSync(file, text, { mode: 0o600, flag: 'wx', flush: true }));
  }
  return readMasterKeyFile(file);
}

export function readMasterKeyFile(file: string): MasterKey[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new InvalidMasterKeyError(`The master key file ${file} cannot be read.`, { cause });
  }
  const mode = statSync(file).mode & 0o777;
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new InvalidMasterKeyError(
      `The master key file ${file} is readable by other users (mode ${mode.toString(8).padStart(4, '0')}). Fix it with: chmod 600 '${file}'`,
    );
  return parseMasterKeys(text, file);
}
