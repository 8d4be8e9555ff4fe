import { expect, test, vi } from 'vitest';
import { isEnter, isImeKey, isSubmitKey } from './enter-key.ts';

type Given = Partial<Parameters<typeof isSubmitKey>[0]>;
const plain = { shiftKey: false, altKey: false, ctrlKey: false, metaKey: false, isComposing: false };
const enter = (more: Given = {}) => ({ ...plain, key: 'Enter', keyCode: 13, ...more });
vi.stubGlobal('matchMedia', () => ({ matches: false }));

test.each<[string, ReturnType<typeof enter>, boolean, boolean]>([
  ['Enter', enter(), true, true],
  ['Enter of the number pad', enter({ keyCode: 13 }), true, true],
  ['Enter with Control', enter({ ctrlKey: true }), true, true],
  ['Enter with Shift', enter({ shiftKey: true }), true, false],
  ['Enter with Alt', enter({ altKey: true }), true, false],
  ['Enter while an input method composes', enter({ isComposing: true }), false, false],
  ['Enter that confirms a word in Safari', enter({ keyCode: 229 }), false, false],
  ['another key', enter({ key: 'a', keyCode: 65 }), false, false],
])('%s', (_, event, acts, sends) => {
  expect([isEnter(event), isSubmitKey(event)]).toEqual([acts, sends]);
});

test('ignores Esc that drops an input method word', () => {
  const esc = (keyCode: number) => enter({ key: 'Escape', keyCode });
  expect([isImeKey(esc(229)), isImeKey(esc(27))]).toEqual([true, false]);
});
