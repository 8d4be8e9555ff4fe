import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { presetIds } from '@roster/contracts/connections/connections';
import { Agent, request } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '#server/config/config';
import { AddressBlockedError } from '#server/outbound/errors';
import type { Lookup } from '#server/outbound/guarded-connector';
import { connectionAddresses } from './address-policy.ts';
import { isPublicHostOf, presetOf, presets } from './presets.ts';

const masterKey = randomBytes(32).toString('base64');
const leadingTo =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** An installation that other machines reach, unless it says otherwise. */
function addressesFor(env: Record<string, string> = {}, lookup: Lookup = leadingTo('8.8.8.8')) {
  const config = loadConfig({
    PUBLIC_URL: 'https://roster.example.org',
    MASTER_KEY: masterKey,
    MAIL_FROM: 'a@b.org',
    ...env,
  });
  return connectionAddresses(config, lookup);
}

const onLoopback = { PUBLIC_URL: 'http://localhost:3000' };
const refused = (text: string) => expect.stringContaining(text);
/** The message of the refusal, which is a cause at some depth; another error as it is. */
function refusalIn(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; { cause } = cause)
    if (cause instanceof AddressBlockedError) return cause.message;
  return error;
}

describe('the presets', () => {
  test('are complete, and each public address may be used where only they may', () => {
    expect(presets.map(({ id }) => id)).toEqual(presetIds);
    const addresses = addressesFor();
    for (const { id, baseUrl, hosts, example } of presets) {
      if (hosts.length === 0) continue;
      const address = baseUrl ?? example ?? '';
      expect(isPublicHostOf(presetOf(id), new URL(address).hostname.toLowerCase()), id).toBe(true);
      expect(addresses.problemOf(id, address), id).toBeNull();
    }
  });

  test('have hosts whose star is one label', () => {
    const azure = presetOf('azure');
    expect(isPublicHostOf(azure, 'contoso.openai.azure.com')).toBe(true);
    for (const host of [
      'openai.azure.com',
      'a.b.openai.azure.com',
      'openai.azure.com.evil.example',
      '.openai.azure.com',
    ])
      expect(isPublicHostOf(azure, host), host).toBe(false);
  });
});

describe('the address of a connection', () => {
  test.each([
    ['openai', 'http://api.openai.com/v1', 'must begin with https://'],
    ['openai', 'https://api.openai.com.evil.example/v1', 'The address of OpenAI is https://api.openai.com/v1'],
    ['other', 'https://evil.example/v1', 'evil.example:443 in PROVIDER_HOSTS_ALLOWED'],
    ['other', 'https://api.openai.com:8443/v1', 'api.openai.com:8443 in PROVIDER_HOSTS_ALLOWED'],
    ['other', 'https://8.8.8.8/v1', '8.8.8.8:443 in PROVIDER_HOSTS_ALLOWED'],
    ['ollama', 'http://127.0.0.1:11434/v1', '127.0.0.1:11434 in PROVIDER_HOSTS_ALLOWED'],
    ['ollama', 'http://localhost:11434/v1', 'localhost:11434 in PROVIDER_HOSTS_ALLOWED'],
    ['ollama', 'http://[::1]:11434/v1', 'with [::1]:11434 in PROVIDER_HOSTS_ALLOWED'],
    ['ollama', 'http://192.168.1.20:11434/v1', '192.168.1.20:11434 in PROVIDER_HOSTS_ALLOWED'],
    ['other', 'http://ollama:11434/v1', 'ollama:11434 in PROVIDER_HOSTS_ALLOWED'],
    ['other', 'https://169.254.169.254/v1', 'does not connect to'],
    ['other', 'https://user:word@api.openai.com/v1', 'enter a key instead'],
    ['other', 'https://api.openai.com/v1?key=1', 'Leave everything from ?'],
    ['other', 'ftp://api.openai.com/v1', 'must begin with https://'],
    ['other', 'https://', 'Enter an address'],
  ] as const)('is refused for %s: %s, if only listed providers may be used', (preset, address, reason) => {
    expect(addressesFor().problemOf(preset, address)).toEqual(refused(reason));
  });

  test('is any public one over https where the operator opens them, and never a private one', () => {
    const { problemOf } = addressesFor({ CONNECTIONS: 'open' });
    expect(problemOf('other', 'https://api.example.com/v1')).toBeNull();
    expect(problemOf('openai', 'https://gateway.example.com/v1')).toBeNull();
    expect(problemOf('other', 'http://api.example.com/v1')).toEqual(refused('must begin with https://'));
    expect(problemOf('other', 'https://10.0.0.1/v1')).toEqual(refused('private network'));
  });

  test.each([
    'https://[::ffff:127.0.0.1]/v1',
    'https://[::ffff:a9fe:a9fe]/v1',
    'https://[64:ff9b::7f00:1]/v1',
    'https://[2002:7f00:1::]/v1',
    'https://[fe80::1]/v1',
    'https://2130706433/v1',
    'https://0x7f000001/v1',
    'https://127.1/v1',
    'https://①②⑦.0.0.1/v1',
    'https://localhost./v1',
    'https://169.254.169.254./v1',
    'https://api.openai.com@evil.example/v1',
  ])('is never %s, however openly connections are allowed', (address) => {
    expect(addressesFor({ CONNECTIONS: 'open' }).problemOf('other', address)).toMatch(
      /PROVIDER_HOSTS_ALLOWED|does not connect to|enter a key instead/,
    );
  });

  test('is the preset’s, whatever form its name has', () => {
    for (const host of ['api.openai.com.', 'ａｐｉ.openai.com', 'API.OPENAI.COM'])
      expect(addressesFor().problemOf('openai', `https://${host}/v1`)).toBeNull();
    for (const host of ['api.openai.com%2eevil.example', 'api.openai.com\t.evil.example'])
      expect(addressesFor().problemOf('openai', `https://${host}/v1`)).toEqual(refused('The address of OpenAI is'));
  });

  test('is none where connections are off', () => {
    const { problemOf } = addressesFor({ CONNECTIONS: 'off', ...onLoopback });
    for (const address of ['https://api.openai.com/v1', 'http://127.0.0.1:11434/v1'])
      expect(problemOf('openai', address)).toEqual(refused('CONNECTIONS=listed'));
  });

  test('may be on this machine where only this machine reaches Roster', () => {
    const { problemOf } = addressesFor(onLoopback);
    for (const host of ['127.0.0.1', 'localhost', '[::1]'])
      expect(problemOf('ollama', `http://${host}:11434/v1`), host).toBeNull();
    expect(problemOf('ollama', 'http://192.168.1.20:11434/v1')).toEqual(refused('private network'));
    expect(problemOf('other', 'https://evil.example/v1')).toEqual(refused('PROVIDER_HOSTS_ALLOWED'));
  });

  test('may be private, and plain, where the operator lists it', async () => {
    const inside = leadingTo('10.1.2.3');
    for (const list of ['gpu.lan:8000', 'gpu.lan', '10.1.2.3', '10.1.0.0/16'])
      expect(
        await addressesFor({ PROVIDER_HOSTS_ALLOWED: list }, inside).refusalOf('other', 'http://gpu.lan:8000/v1'),
        list,
      ).toBeNull();
    for (const list of ['gpu.lan:1', 'other.lan', '10.2.0.0/16'])
      expect(
        await addressesFor({ PROVIDER_HOSTS_ALLOWED: list }, inside).refusalOf('other', 'http://gpu.lan:8000/v1'),
        list,
      ).toEqual(refused('gpu.lan:8000 in PROVIDER_HOSTS_ALLOWED'));
  });

  test('is not taken from a public name that leads inside', async () => {
    for (const inside of ['10.0.0.1', '127.0.0.1', '169.254.169.254', 'fd00::1'])
      expect(
        await addressesFor({ CONNECTIONS: 'open' }, leadingTo('8.8.8.8', inside)).refusalOf(
          'other',
          'https://a.example',
        ),
        inside,
      ).toEqual(refused('a.example'));
  });

  test('is taken although its name is not known at the moment', async () => {
    const unknown: Lookup = () => Promise.reject(Object.assign(new Error('not known'), { code: 'ENOTFOUND' }));
    expect(await addressesFor({}, unknown).refusalOf('openai', 'https://api.openai.com/v1')).toBeNull();
  });
});

describe('the connections of the pool', () => {
  async function peer() {
    let calls = 0;
    const server = createServer((_request, response) => {
      calls++;
      response.setHeader('connection', 'close').end('hello');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    return { port: typeof address === 'object' && address ? address.port : 0, calls: () => calls };
  }

  async function ask(addresses: ReturnType<typeof addressesFor>, url: string) {
    const { buildConnector } = await import('undici');
    const dispatcher = new Agent({ connect: addresses.connector(buildConnector) });
    onTestFinished(() => dispatcher.destroy());
    try {
      const { body } = await request(url, { dispatcher, headers: { authorization: 'Bearer secret' } });
      return await body.text();
    } catch (error) {
      return refusalIn(error);
    }
  }

  test('reach this machine where it is open, and otherwise send nothing', async () => {
    const { port, calls } = await peer();
    const url = `http://127.0.0.1:${port}/v1/models`;
    expect(await ask(addressesFor(), url)).toEqual(refused(`127.0.0.1:${port} in PROVIDER_HOSTS_ALLOWED`));
    expect(await ask(addressesFor({ CONNECTIONS: 'open' }), url)).toEqual(refused('PROVIDER_HOSTS_ALLOWED'));
    expect(await ask(addressesFor({ CONNECTIONS: 'off', ...onLoopback }), url)).toEqual(refused('CONNECTIONS=listed'));
    expect(calls()).toBe(0);
    expect(await ask(addressesFor(onLoopback), url)).toBe('hello');
    expect(await ask(addressesFor({ PROVIDER_HOSTS_ALLOWED: `127.0.0.1:${port}` }), url)).toBe('hello');
  });

  test('send nothing once a name leads elsewhere, or a provider is no longer allowed', async () => {
    const { port, calls } = await peer();
    const env = { PROVIDER_HOSTS_ALLOWED: '127.0.0.1' };
    const answers = ['127.0.0.1', '10.0.0.1'];
    const turning: Lookup = async () => [{ address: answers.shift() ?? '', family: 4 }];
    const addresses = addressesFor(env, turning);
    expect(await ask(addresses, `http://gpu.lan:${port}/`)).toBe('hello');
    expect(await ask(addresses, `http://gpu.lan:${port}/`)).toEqual(refused('private network'));
    expect(await ask(addressesFor(), 'https://evil.example/v1')).toEqual(refused('CONNECTIONS=open'));
    expect(calls()).toBe(1);
  });
});
