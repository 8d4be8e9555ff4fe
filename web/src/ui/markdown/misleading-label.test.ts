import { expect, test } from 'vitest';
import { isMisleadingLabel } from './misleading-label.ts';

test.each([
  ['nytimes.com', 'https://www.nytimes.com/'],
  ['www.nytimes.com', 'https://nytimes.com/section/world'],
  ['https://a.example/', 'http://a.example'],
  ['https://docs.a.example/b', 'https://a.example/b'],
  ['en.wikipedia.org', 'https://de.wikipedia.org/wiki/Berlin'],
  ['bbc.co.uk', 'https://www.bbc.co.uk/news'],
  ['Node.js', 'https://nodejs.org/'],
  ['ASP.NET', 'https://dotnet.microsoft.com/apps/aspnet'],
  ['Vue.js 3', 'https://vuejs.org/'],
  ['main.rs', 'https://github.com/a/b'],
  ['The site example.com says', 'https://other.example/'],
  ['someone@a.example', 'mailto:someone@a.example'],
  ['a.example', 'mailto:someone@b.example'],
])('accepts %s as a label for %s', (label, href) => expect(isMisleadingLabel(label, href)).toBe(false));

test.each([
  ['https://roster.example/settings', 'https://attacker.example/'],
  ['paypal.com', 'https://attacker.example/'],
  ['PayPal.com', 'https://paypal.com.attacker.example/'],
  ['www.bank.de/login', 'https://attacker.example/'],
  ['http://bank.co.uk', 'https://attacker.co.uk/'],
  ['ada.github.io', 'https://eve.github.io/'],
  [' https://bank.example:443/a?b#c ', 'https://attacker.example/'],
  ['bank.com\u200b', 'https://attacker.example/'],
  ['pay\u00adpal.com', 'https://attacker.example/'],
  ['\u2066https://bank.com\u2069', 'https://attacker.example/'],
])('rejects %s as a label for %s', (label, href) => expect(isMisleadingLabel(label, href)).toBe(true));
