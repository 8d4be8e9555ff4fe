import { AssistantDraft } from '@roster/contracts/assistants/assistants';
import { describe, expect, test } from 'vitest';
import { findTemplates, templates } from './templates.ts';

describe('templates', () => {
  test.each(templates.map((template) => [template.id, template] as const))('%s is a valid draft', (_, template) => {
    const { id: _id, words: _words, why, ...draft } = template;
    expect(AssistantDraft.safeParse({ ...draft, model: 'gpt-4o' }).error).toBeUndefined();
    expect(template.starters.length).toBeGreaterThan(0);
    expect(why).not.toBe('');
  });

  test('have different ids and names', () => {
    expect(new Set(templates.map(({ id }) => id)).size).toBe(templates.length);
    expect(new Set(templates.map(({ name }) => name)).size).toBe(templates.length);
  });

  test('are found by what they do', () => {
    const found = (text: string) => findTemplates(text).map(({ id }) => id);
    expect(found('csv chart')).toEqual(['data-analyst']);
    expect(found('Translat')).toContain('translator');
    expect(found('  ')).toHaveLength(templates.length);
    expect(found('nothing of this kind')).toEqual([]);
  });
});
