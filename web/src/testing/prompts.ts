import { type Prompt, prompts } from '@roster/contracts/prompts/prompts';
import { answer, refusal } from './answers.ts';
import { fixtureDate } from './new-account.ts';

export const prompt = (id: number, more: Partial<Prompt> = {}): Prompt => ({
  id,
  name: `prompt-${id}`,
  title: `Prompt ${id}`,
  text: `Text ${id}`,
  createdAt: fixtureDate,
  updatedAt: fixtureDate,
  usedAt: null,
  ...more,
});

/** Answers the calls of the list, the dialogs and the message field. */
export function servePrompts(...given: Prompt[]): void {
  let kept = given;
  const found = (id: number) => kept.find((one) => one.id === id) ?? refusal('not_found', 'Prompt not found.');
  answer(prompts.list, ({ query: { search = '' } }) => ({
    items: kept
      .filter(({ name, title }) => `${name}\n${title}`.toLowerCase().includes(search.toLowerCase()))
      .map(({ text, ...one }) => ({ ...one, preview: text })),
    nextCursor: null,
  }));
  answer(prompts.get, ({ params }) => found(params.id));
  answer(prompts.create, ({ body }) => {
    const made = prompt(kept.length + 1, body);
    kept = [...kept, made];
    return made;
  });
  answer(prompts.update, ({ params, body: { updatedAt: _, ...body } }) => {
    kept = kept.map((one) =>
      one.id === params.id
        ? { ...one, name: body.name ?? one.name, title: body.title ?? one.title, text: body.text ?? one.text }
        : one,
    );
    return found(params.id);
  });
  answer(prompts.remove, ({ params }) => {
    kept = kept.filter(({ id }) => id !== params.id);
  });
  answer(prompts.markUsed, undefined);
}
