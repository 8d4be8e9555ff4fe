import { expect, test } from 'vitest';
import { alternateTurns } from './alternate-turns.ts';
import type { ConversationTurn, TurnFile } from './provider.ts';

const user = (text: string): ConversationTurn => ({ role: 'user', text });
const assistant = (text: string): ConversationTurn => ({ role: 'assistant', text });
const file: TurnFile = { filename: 'a.png', kind: 'image', mediaType: 'image/png', read: async () => undefined };
const call = { callId: 'c1', name: 'get_time', input: '{}', output: '12:00' };

test('joins two questions after a failed answer into one', () => {
  expect(alternateTurns([user('One?'), user('Two?')])).toEqual([user('One?\n\nTwo?')]);
  expect(alternateTurns([user('One?'), assistant(''), user('Two?')])).toEqual([user('One?\n\nTwo?')]);
});

test('keeps files with their text, in order', () => {
  const [turn] = alternateTurns([
    { ...user('One?'), files: [file] },
    { ...user('Two?'), files: [file] },
  ]);
  expect(turn).toMatchObject({ text: 'One?\n\nTwo?', files: [file, file], parts: [file, 'One?', file, 'Two?'] });
});

test('keeps function outputs between the text before and after them', () => {
  const turns = [user('Time?'), { ...assistant('A moment.'), calls: [call] }, assistant('It is noon.'), user('Thanks')];
  expect(alternateTurns(turns)).toEqual(turns);
});

/** All conversations of up to four turns of these kinds. */
function* conversations(length: number): Generator<ConversationTurn[]> {
  const kinds = [
    user('q'),
    assistant('a'),
    assistant(''),
    { ...assistant(''), calls: [call] },
    { ...user('f'), files: [file] },
  ];
  if (length === 0) return void (yield []);
  for (const rest of conversations(length - 1)) {
    yield rest;
    for (const kind of kinds) yield [...rest, kind];
  }
}

test('alternates turns whatever came before, and loses no text, file or call', () => {
  for (const turns of conversations(4)) {
    const merged = alternateTurns(turns);
    const roles = merged.flatMap(({ role, calls = [] }) => (calls.length > 0 ? [role, 'tool'] : [role]));
    for (const [index, role] of roles.entries()) if (index > 0) expect(role).not.toBe(roles[index - 1]);
    const lettersOf = (all: ConversationTurn[]) => all.map(({ text }) => text.replaceAll('\n', '')).join('');
    expect(lettersOf(merged)).toBe(lettersOf(turns));
    const filesOf = (all: ConversationTurn[]) => all.flatMap(({ files = [] }) => files).length;
    expect(filesOf(merged)).toBe(filesOf(turns));
    const callsOf = (all: ConversationTurn[]) => all.flatMap(({ calls = [] }) => calls).length;
    expect(callsOf(merged)).toBe(callsOf(turns));
  }
});
