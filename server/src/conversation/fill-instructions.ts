import { fillInstructions, instructionValues, userNameOf, variablesIn } from '@roster/contracts/assistants/variables';
import { modelIdOf } from '@roster/contracts/models/model-reference';

type Person = { name: string | null; email: string; timeZone: string | null; language: string | null };

type Dependencies = {
  personOf: (userId: number) => Promise<Person>;
  now: () => number;
};

export type AnsweredBy = {
  /** A model reference. */
  model: string;
  /** null: no assistant. */
  assistantName: string | null;
};

/** Fills in the variables of an assistant's instructions for one request. Instructions without any take no query. */
export function instructionFiller({ personOf, now }: Dependencies) {
  return async (userId: number, instructions: string, { model, assistantName }: AnsweredBy): Promise<string> => {
    if (variablesIn(instructions).length === 0) return instructions;
    const person = await personOf(userId);
    const values = instructionValues({
      now: new Date(now()),
      timeZone: person.timeZone,
      language: person.language,
      userName: userNameOf(person),
      assistantName,
      model: modelIdOf(model),
    });
    return fillInstructions(instructions, values);
  };
}

export type FillInstructions = ReturnType<typeof instructionFiller>;
