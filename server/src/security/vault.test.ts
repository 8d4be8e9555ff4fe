import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { MasterKey } from '#server/security/master-key';
import { Secret } from '#server/security/secret';
import { createVault, VaultError } from '#server/security/vault';

const providerKey = new Secret('sk-the-key-of-somebody');

function masterKey(): MasterKey {
  const key = randomBytes(32);
  return { id: createHash('sha256').update(key).digest('hex').slice(0, 8), key: new Secret(key) };
}

function sealed(userId = 7) {
  const keys = [masterKey()];
  const vault = createVault(keys);
  const wrapped = vault.newDataKey(userId);
  return { keys, vault, wrapped, text: vault.sealProviderKey(userId, wrapped, providerKey) };
}

/** Changes one letter in each part, one after the other. */
const tampered = (text: string) =>
  text.split('').flatMap((letter, index) => {
    if (letter === '.') return [];
    return [text.slice(0, index) + (letter === 'A' ? 'B' : 'A') + text.slice(index + 1)];
  });

describe('vault', () => {
  test('decrypts what it encrypted', () => {
    const { vault, wrapped, text } = sealed();
    expect(vault.openProviderKey(7, wrapped, text).reveal()).toBe(providerKey.reveal());
  });

  test('encrypts the same key differently each time, and reveals nothing of it', () => {
    const { vault, wrapped, text } = sealed();
    expect(vault.sealProviderKey(7, wrapped, providerKey)).not.toBe(text);
    expect(text).not.toContain('sk-');
    expect(text).toMatch(/^v1\.dek\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/);
  });

  test('does not decrypt what was moved to another user’s row, in part or whole', () => {
    const { vault, wrapped, text } = sealed(7);
    const theirs = vault.newDataKey(8);
    for (const open of [
      () => vault.openProviderKey(8, wrapped, text),
      () => vault.openProviderKey(8, theirs, text),
      () => vault.openProviderKey(7, theirs, text),
      () => vault.sealProviderKey(8, wrapped, providerKey),
    ])
      expect(open).toThrow(VaultError);
  });

  test('does not confuse purposes', () => {
    const { vault, wrapped, text } = sealed(0);
    expect(() => vault.verifyKeyCheck(wrapped)).toThrow(VaultError);
    expect(() => vault.openProviderKey(0, vault.newKeyCheck(), text)).toThrow(VaultError);
  });

  test('does not decrypt with another master key', () => {
    const { wrapped, text } = sealed();
    const other = createVault([masterKey()]);
    expect(() => other.openProviderKey(7, wrapped, text)).toThrow(VaultError);
  });

  test('does not decrypt with another key under the same id', () => {
    const { keys, wrapped, text } = sealed();
    const other = createVault([{ id: keys[0]?.id ?? '', key: new Secret(randomBytes(32)) }]);
    expect(() => other.openProviderKey(7, wrapped, text)).toThrow(VaultError);
  });

  test('notices every changed letter', () => {
    const { vault, wrapped, text } = sealed();
    // The last letter of a base64 text may carry bits that decode to nothing.
    for (const other of tampered(text).slice(0, -1))
      expect(() => vault.openProviderKey(7, wrapped, other), other).toThrow(VaultError);
    for (const other of tampered(wrapped).slice(0, -1))
      expect(() => vault.openProviderKey(7, other, text), other).toThrow(VaultError);
  });

  test.each([
    '',
    'v1',
    'v1.dek',
    'v1.dek.AAAA.AAAA',
    'v1.dek.AAAAAAAAAAAAAAAA.',
    'v2.dek.AAAAAAAAAAAAAAAA.AAAA',
    '....',
  ])('fails in one way only for %j', (text) => {
    const { vault, wrapped } = sealed();
    expect(() => vault.openProviderKey(7, wrapped, text)).toThrow(VaultError);
    expect(() => vault.openProviderKey(7, text, wrapped)).toThrow(VaultError);
  });

  test('does not decrypt one kind of key as the other', () => {
    const { vault, wrapped, text } = sealed();
    const admin = vault.sealProviderKey(7, wrapped, providerKey, 'provider-admin-key');
    expect(vault.openProviderKey(7, wrapped, admin, 'provider-admin-key').reveal()).toBe(providerKey.reveal());
    expect(() => vault.openProviderKey(7, wrapped, admin)).toThrow(VaultError);
    expect(() => vault.openProviderKey(7, wrapped, text, 'provider-admin-key')).toThrow(VaultError);
  });

  test('rejects a shortened tag', () => {
    const { vault, wrapped, text } = sealed();
    const [version, id, nonce, body = ''] = text.split('.');
    const short = Buffer.from(body, 'base64url').subarray(0, 10).toString('base64url');
    expect(() => vault.openProviderKey(7, wrapped, [version, id, nonce, short].join('.'))).toThrow(VaultError);
  });

  test('rotates: the new key wraps, both decrypt, and after re-wrapping the old one may be removed', () => {
    const { keys, wrapped, text } = sealed();
    const next = masterKey();
    const both = createVault([next, ...keys]);
    expect(both.openProviderKey(7, wrapped, text).reveal()).toBe(providerKey.reveal());
    const rewrapped = both.rewrap(7, wrapped);
    expect(rewrapped.startsWith(`v1.${next.id}.`)).toBe(true);
    expect(both.rewrap(7, rewrapped)).toBe(rewrapped);
    const onlyNew = createVault([next]);
    expect(onlyNew.openProviderKey(7, rewrapped, text).reveal()).toBe(providerKey.reveal());
    expect(() => onlyNew.openProviderKey(7, wrapped, text)).toThrow(VaultError);
    expect(() => both.rewrap(8, wrapped)).toThrow(VaultError);
  });

  test('accepts its key check from its own key only', () => {
    const { keys, vault } = sealed();
    const check = vault.newKeyCheck();
    createVault([masterKey(), ...keys]).verifyKeyCheck(check);
    expect(() => createVault([masterKey()]).verifyKeyCheck(check)).toThrow(VaultError);
  });
});
