import { describe, expect, test } from 'vitest';
import { safeLink } from './safe-link.ts';

test.each([
  ['https://a.example/b?c=d#e', 'https://a.example/b?c=d#e'],
  ['HTTP://A.example', 'http://a.example/'],
  ['mailto:a@b.example', 'mailto:a@b.example'],
])('allows %s', (address, href) => expect(safeLink(address)).toBe(href));

test.each([
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  'https:evil.example',
  'https://',
  'data:text/html,x',
  'blob:https://a.example/1',
  'file:///etc/passwd',
  '/settings',
  '#top',
  '//evil.example',
  '',
])('refuses %j', (address) => expect(safeLink(address)).toBeNull());

describe('URL of Roster itself', () => {
  test.each([
    'https://roster.example/auth/google',
    'http://roster.example/api/logout',
    'HTTPS://ROSTER.Example/settings',
    'https://roster.example:8443/',
    'https://roster.example:443/settings',
    'https://roster.example./settings',
    'https://someone:secret@roster.example/settings',
    'https://roster%2Eexample/settings',
    'https://r\u00f3ster.example@roster.example/',
    'https://\uff52oster.example/settings',
    'https://ro\u00adster.example/settings',
    'https://roster\u3002example/settings',
    'https:\\\\roster.example/settings',
    'https://\\roster.example/settings',
    'https:///roster.example/settings',
    'https:/roster.example/settings',
    'https:roster.example',
    '\\\\roster.example/settings',
    '//roster.example/settings',
    '/auth/google',
    '\\auth\\google',
    './settings',
    '?view=create',
    '#main',
  ])('refuses %s', (address) => expect(safeLink(address, 'roster.example')).toBeNull());

  test.each([
    'http://localhost:3000/auth/google',
    'http://127.0.0.1:3000/',
    'http://127.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://[::1]:3000/',
    'http://[::ffff:127.0.0.1]/',
    'http://roster.localhost/',
  ])('refuses this machine: %s', (address) => expect(safeLink(address, 'localhost')).toBeNull());

  test.each(['https://roster.example.org/', 'https://my-roster.example/', 'https://docs.roster.example/'])(
    'allows another host: %s',
    (address) => expect(safeLink(address, 'roster.example')).toBe(address),
  );
  test('refuses credentials in a URL', () => expect(safeLink('https://bank.example@a.example/')).toBeNull());
});
