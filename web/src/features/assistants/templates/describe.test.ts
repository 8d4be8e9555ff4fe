import { AssistantDraft } from '@roster/contracts/assistants/assistants';
import { describe, expect, test } from 'vitest';
import { draftFromAnswer } from './describe.ts';

const whole = {
  name: 'Plant doctor',
  description: 'Finds out what ails a plant.',
  instructions: 'You diagnose plants.',
  starters: ['Why are the leaves yellow?'],
  tags: ['home'],
};

describe('a draft from an answer', () => {
  test.each([
    ['alone', (json: string) => json],
    ['in a fenced block', (json: string) => `Here it is:\n\`\`\`json\n${json}\n\`\`\`\nEnjoy!`],
    ['with unknown fields', (json: string) => json.replace('{', '{"extra": {"a": [1]},')],
  ])('is read %s', (_, written) => {
    expect(draftFromAnswer(written(JSON.stringify(whole)), 'gpt-4o')).toMatchObject({ ...whole, model: 'gpt-4o' });
  });

  test('is cut to the limits of the form and stays valid', () => {
    const long = {
      name: 'word '.repeat(100),
      description: 'd'.repeat(5_000),
      instructions: '🙂'.repeat(5_000),
      starters: Array.from({ length: 20 }, () => 's\n'.repeat(300)),
      tags: Array.from({ length: 20 }, (_, index) => `${index}`.repeat(60)),
    };
    const draft = draftFromAnswer(JSON.stringify(long), 'gpt-4o');
    expect(AssistantDraft.safeParse(draft).error).toBeUndefined();
    expect(draft?.instructions).not.toBe('');
  });

  test.each(['', 'I cannot do that.', '{"name": ""}', '{"name": "A"}', '[]', '{"name": 5, "instructions": "x"}'])(
    'is refused if there is none: %s',
    (text) => {
      expect(draftFromAnswer(text, 'gpt-4o')).toBeNull();
    },
  );

  test.each([{ starters: 'none' }, { tags: null }, { description: 5 }])(
    'survives a field of another kind (%#)',
    (odd) => {
      expect(draftFromAnswer(JSON.stringify({ ...whole, ...odd }), 'gpt-4o')).toMatchObject({ name: whole.name });
    },
  );
});
