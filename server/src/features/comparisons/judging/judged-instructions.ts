import { fillInstructions, type InstructionValues, variablesIn } from '@roster/contracts/assistants/variables';
import { type Person, valuesFor } from '#server/conversation/fill-instructions';
import type { Order } from '#server/features/comparisons/shared/judging-repository';
import type { JudgedTexts } from './judge-prompt.ts';
import type { AnswerRequested, ToJudge } from './verdicts.ts';

const valuesOf = (person: Person, { at, model, assistantName }: AnswerRequested): InstructionValues => ({
  ...valuesFor(person, at, { model: model ?? '', assistantName }),
  ...(model === null && { model }),
});

/**
 * The instructions as the models were given them. Variables with different values stay, and their values are listed;
 * those of `model` are not, because a judge that knows the models judges their names.
 */
export function judgedInstructions(
  person: Person,
  { texts, requested }: Pick<ToJudge, 'texts' | 'requested'>,
  order: Order,
): Pick<JudgedTexts, 'instructions' | 'differing'> {
  const { instructions } = texts[order];
  if (instructions === null || requested === null) return { instructions };
  const [candidate, baseline] = [valuesOf(person, requested.candidate), valuesOf(person, requested.baseline)];
  const [first, second] = order === 'candidateFirst' ? [candidate, baseline] : [baseline, candidate];
  const same = { ...first };
  const differing: NonNullable<JudgedTexts['differing']>[number][] = [];
  for (const name of variablesIn(instructions)) {
    if (first[name] === second[name]) continue;
    same[name] = null;
    if (name !== 'model') differing.push({ name, first: first[name], second: second[name] });
  }
  return { instructions: fillInstructions(instructions, same), differing };
}
