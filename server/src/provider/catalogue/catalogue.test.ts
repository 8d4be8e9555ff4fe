import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StartupError } from '#server/lib/errors';
import { loadCatalogue } from './catalogue.ts';

const none = { inputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
const today = '2026-11-20';

/** An operator's catalogue file. */
function fileOf(content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'roster-catalogue-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'catalogue.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}
const catalogueOf = (...models: Record<string, unknown>[]) =>
  loadCatalogue(
    fileOf({
      asOf: '2026-12-01',
      source: 'our contract',
      unit: 'USD per 1,000,000 tokens',
      models: models.map((model) => ({
        price: { input: 1, cachedInput: 0.5, output: 2 },
        temperature: 'yes',
        efforts: [],
        contextTokens: 1000,
        ...model,
      })),
    }),
  );

describe('shipped catalogue', () => {
  const catalogue = loadCatalogue();

  test('prices a call by its parts: new input, cached input, output with reasoning', () => {
    expect(catalogue.cost('gpt-4o', { ...none, inputTokens: 1_000_000 })).toBeCloseTo(2.5, 10);
    expect(catalogue.cost('gpt-4o', { ...none, inputTokens: 1_000_000, cachedTokens: 400_000 })).toBeCloseTo(2, 10);
    const thought = { ...none, outputTokens: 1_000_000, reasoningTokens: 900_000 };
    expect(catalogue.cost('gpt-4o', thought)).toBeCloseTo(10, 10);
    expect(catalogue.cost('gpt-4o', none)).toBe(0);
  });

  test('prices cache writes where they cost more', () => {
    const counts = { ...none, inputTokens: 100_000, cachedTokens: 40_000, cacheWriteTokens: 50_000 };
    // 10,000 at 4, 40,000 at 0.4, 50,000 at 5 USD per million.
    expect(catalogue.cost('gpt-5.6-sol', counts)).toBeCloseTo(0.04 + 0.016 + 0.25, 10);
    expect(catalogue.cost('gpt-4o', counts)).toBeCloseTo(0.025 + 0.05 + 0.125, 10);
  });

  test('prices a whole long request higher, from the first token beyond the limit', () => {
    const counts = (inputTokens: number) => ({ ...none, inputTokens, outputTokens: 100_000 });
    expect(catalogue.cost('gpt-6-sol', counts(272_000))).toBeCloseTo(0.544 + 1, 10);
    expect(catalogue.cost('gpt-6-sol', counts(272_001))).toBeCloseTo(2 * 0.544002 + 1.5, 10);
    expect(catalogue.cost('gpt-4.1', counts(1_000_000))).toBeCloseTo(2 + 0.8, 10);
  });

  test('never prices below zero if more tokens are cached than there is input', () => {
    expect(catalogue.cost('gpt-4o', { ...none, inputTokens: 10, cachedTokens: 1_000_000 })).toBeCloseTo(1.25, 10);
  });

  test('covers dated snapshots by their model', () => {
    for (const [snapshot, model] of [
      ['gpt-4o-2024-08-06', 'gpt-4o'],
      ['gpt-4o-mini-2024-07-18', 'gpt-4o-mini'],
      ['gpt-4.1-mini-2025-04-14', 'gpt-4.1-mini'],
      ['gpt-4-0613', 'gpt-4'],
    ] as const) {
      const counts = { ...none, inputTokens: 1000, outputTokens: 1000 };
      expect(catalogue.cost(snapshot, counts)).toBe(catalogue.cost(model, counts));
      expect(catalogue.describe(snapshot, null, today)).toEqual({
        ...catalogue.describe(model, null, today),
        id: snapshot,
      });
      expect(catalogue.order(snapshot)).toBe(catalogue.order(model));
    }
  });

  test('prices a fine-tuned model by its own price, and not at all without one', () => {
    const counts = { ...none, inputTokens: 1_000_000 };
    expect(catalogue.cost('ft:gpt-4o-2024-08-06:acme:tutor:a1', counts)).toBeCloseTo(3.75, 10);
    expect(catalogue.cost('ft:gpt-4.1-mini-2025-04-14:acme::b2', counts)).toBeCloseTo(0.8, 10);
    expect(catalogue.cost('ft:gpt-5:acme::c3', counts)).toBeNull();
    expect(catalogue.describe('ft:gpt-4o-2024-08-06:acme::a1', null, today)).toMatchObject({
      tuned: true,
      contextTokens: 128_000,
      price: { input: 3.75, cachedInput: 1.875, output: 15 },
    });
  });

  test('says what a model and its snapshots are good for, but not a fine-tuned one', () => {
    const goodFor = (model: string) => catalogue.describe(model, null, today).goodFor;
    expect(goodFor('gpt-6-luna')).toBe('Fast and cheap, for many short tasks');
    expect(goodFor('gpt-4.1-2025-04-14')).toBe(goodFor('gpt-4.1'));
    expect(goodFor('ft:gpt-4.1-2025-04-14:acme::a1')).toBeNull();
    expect(goodFor('gpt-3.5-turbo')).toBeNull();
  });

  test('knows nothing about a model that is not in it, whatever its name', () => {
    const unknown = {
      goodFor: null,
      price: null,
      temperature: 'unknown',
      efforts: [],
      contextTokens: null,
      successor: null,
    };
    for (const id of ['llama3:8b', 'gpt-4o-but-different', 'ft:', 'ft::', '', '__proto__', 'constructor', 'toString']) {
      expect(catalogue.cost(id, { ...none, inputTokens: 5 })).toBeNull();
      expect(catalogue.describe(id, null, today)).toMatchObject({ id, ...unknown, lifecycle: 'current' });
      expect(catalogue.contextTokens(id)).toBeNull();
    }
  });

  test('has no price for what the provider sells without publishing one', () => {
    expect(catalogue.cost('gpt-5-pro', { ...none, inputTokens: 5 })).toBeNull();
    expect(catalogue.describe('gpt-5-pro', null, today).price).toBeNull();
  });

  test('tells how long a model will be available', () => {
    const lifecycleOn = (day: string, model = 'gpt-4o') => catalogue.describe(model, null, day).lifecycle;
    expect(lifecycleOn('2026-10-15')).toBe('current');
    expect(lifecycleOn('2026-10-16')).toBe('ending');
    expect(lifecycleOn('2027-01-13')).toBe('ending');
    expect(lifecycleOn('2027-01-14')).toBe('gone');
    expect(lifecycleOn('2999-01-01', 'gpt-6-sol')).toBe('current');
    expect(catalogue.describe('gpt-4o', null, today).successor).toBe('gpt-6.1-terra');
    // The provider's own date takes precedence.
    expect(catalogue.describe('gpt-4o', '2026-11-20', today)).toMatchObject({
      lifecycle: 'gone',
      shutdownDate: '2026-11-20',
    });
    expect(catalogue.describe('llama3', '2026-12-01', today).lifecycle).toBe('ending');
  });

  test('names only successors that it contains', () => {
    const ids = ['gpt-4o', 'gpt-4o-mini', 'gpt-5', 'gpt-5-mini', 'o3', 'o1', 'gpt-5.1', 'gpt-3.5-turbo'];
    for (const id of ids) expect(catalogue.contextTokens(catalogue.successor(id) ?? '')).toBeGreaterThan(0);
  });
});

describe('operator’s catalogue', () => {
  test('replaces the shipped one', () => {
    const catalogue = catalogueOf({ match: 'llama3:8b' });
    expect(catalogue.asOf).toBe('2026-12-01');
    expect(catalogue.cost('llama3:8b', { ...none, inputTokens: 1_000_000, outputTokens: 1_000_000 })).toBe(3);
    expect(catalogue.describe('llama3:8b', null, today).price).toEqual({
      input: 1,
      cachedInput: 0.5,
      output: 2,
      asOf: '2026-12-01',
      family: null,
    });
    expect(catalogue.cost('gpt-4o', { ...none, inputTokens: 1 })).toBeNull();
  });

  test('keeps its order', () => {
    const catalogue = catalogueOf({ match: 'b' }, { match: 'a' });
    expect([catalogue.order('b'), catalogue.order('a')]).toEqual([0, 1]);
    expect(catalogue.order('c')).toBeGreaterThan(1);
  });

  test('prefers the entry of a snapshot to that of its model', () => {
    const catalogue = catalogueOf(
      { match: 'm' },
      { match: 'm-2026-01-01', price: { input: 9, cachedInput: null, output: 9 } },
    );
    expect(catalogue.cost('m-2026-01-01', { ...none, inputTokens: 1_000_000, cachedTokens: 500_000 })).toBe(9);
    expect(catalogue.cost('m-2026-02-02', { ...none, inputTokens: 1_000_000 })).toBe(1);
  });

  test('is rejected if invalid, naming what is wrong', () => {
    expect(() => catalogueOf({ match: 'm', contextTokens: -1 })).toThrow(
      /MODEL_CATALOGUE: .* cannot be used[\s\S]*contextTokens/,
    );
    expect(() => catalogueOf({ match: 'm', pric: 1 })).toThrow(/pric/);
    expect(() => loadCatalogue(fileOf('{'))).toThrow(/MODEL_CATALOGUE: .* cannot be used/);
    expect(() => loadCatalogue('/nowhere/catalogue.json')).toThrow(StartupError);
  });
});
