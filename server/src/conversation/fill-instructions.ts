import { fillInstructions, instructionValues, userNameOf, variablesIn } from '@roster/contracts/assistants/variables';
import { modelIdOf } from '@roster/contracts/models/model-reference';

export type Person = { name: string | null; email: string; timeZone: string | null; language: string | null };

export type FindPerson = (userId: number) => Promise<Person>;

type AnsweredBy = {
  /** A model reference. */
  model: string;
  /** null: no assistant. */
  assistantName: string | null;
};

/** The values of variables for an answer that was requested at a moment. */
export const valuesFor = (person: Person, at: Date, { model, assistantName }: AnsweredBy) =>
  instructionValues({
    now: at,
    timeZone: person.timeZone,
    language: person.language,
    userName: userNameOf(person),
    assistantName,
    model: modelIdOf(model),
  });

/** Fills in the variables of an assistant's instructions for one request. Instructions without any take no query. */
export function instructionFiller(personOf: FindPerson, now: () => number) {
  /** `at`: now, unless the moment of the request is stored. */
  return async (userId: number, instructions: string, by: AnsweredBy, at = new Date(now())): Promise<string> => {
    if (variablesIn(instructions).length === 0) return instructions;
    return fillInstructions(instructions, valuesFor(await personOf(userId), at, by));
  };
}

export type FillInstructions = ReturnType<typeof instructionFiller>;
