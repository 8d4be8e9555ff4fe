import type { Assistant } from '@roster/contracts/assistants/assistants';
import type { AssistantTools, BuiltInTool, ThreadTools } from '@roster/contracts/assistants/tools';
import type { Thread } from '@roster/contracts/chat';
import type { ReasoningEffort } from '@roster/contracts/models/models';
import type { Knowledge } from '#server/features/assistants/knowledge/service';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { AnswerRequest } from '#server/provider/provider';
import type { HistoryLimits } from './history.ts';

/** What answers in a thread: an assistant's settings, or only a model. */
export type Answerer = {
  assistantId: number | null;
  /** Of the assistant, whose settings these are; null: of none, or not known. */
  assistantVersion: number | null;
  /** null: the default model, which the run settles. */
  model: string | null;
  instructions: string;
  /** null: left out. */
  temperature: number | null;
  effort: ReasoningEffort | null;
  /** The form of the answer, as the text of a JSON schema; null: none, or what the program asks for. */
  schema: string | null;
  /** The files that it may search, and a note about those that it cannot. */
  knowledge: Knowledge;
  /** What the provider runs for it. */
  hosted?: AssistantTools;
  /** The tool servers that the conversation has switched off. */
  serversOff?: readonly number[];
  /** What only a program asks for. */
  asked?: ProgramRequest;
};

/** How a program wants to be answered, beyond what an assistant says. */
export type ProgramRequest = Pick<AnswerRequest, 'topP' | 'maxOutputTokens' | 'format' | 'tools'> & {
  limits: HistoryLimits;
  /** The files that the model's code can read, where it may run code. */
  codeFiles: readonly number[];
};

type Dependencies = {
  catalogue: Catalogue;
  findAssistant: (userId: number, assistantId: number) => Promise<Assistant | undefined>;
  /** As far as it is known without a call to the provider. */
  knownDefaultModel: (userId: number) => Promise<string | null>;
  knowledgeOf: (userId: number, assistantId: number) => Promise<Knowledge>;
};

export const nothingKnown: Knowledge = { search: undefined, notes: [] };

/** The tools of an answer: as the assistant has them, but for what the conversation switches. */
function toolsHere(own: AssistantTools, here: ThreadTools): Pick<Answerer, 'hosted' | 'serversOff'> {
  const has = (name: BuiltInTool) => here[name] ?? own[name] !== undefined;
  const hosted: AssistantTools = {
    ...(has('webSearch') && { webSearch: own.webSearch ?? {} }),
    ...(has('codeInterpreter') && { codeInterpreter: own.codeInterpreter ?? {} }),
    ...(has('imageGeneration') && { imageGeneration: own.imageGeneration ?? {} }),
  };
  const { serversOff = [] } = here;
  return { ...(Object.keys(hosted).length > 0 && { hosted }), ...(serversOff.length > 0 && { serversOff }) };
}

/** The answerers, one for each of `models`; without any, the thread's own. Makes no call to the provider. */
export function answererFinder({ catalogue, findAssistant, knownDefaultModel, knowledgeOf }: Dependencies) {
  return async function answerersFor(
    userId: number,
    thread: Pick<Thread, 'assistantId' | 'model' | 'tools'>,
    models: string[],
  ): Promise<Answerer[]> {
    const assistant = thread.assistantId === null ? undefined : await findAssistant(userId, thread.assistantId);
    const tools = toolsHere(assistant?.tools ?? {}, thread.tools ?? {});
    if (assistant) {
      const { id: assistantId, version: assistantVersion, instructions, responseSchema: schema } = assistant;
      const knowledge = assistant.files > 0 ? await knowledgeOf(userId, assistantId) : nothingKnown;
      return (models.length > 0 ? models : [assistant.model]).map((model) => ({
        assistantId,
        assistantVersion,
        model,
        instructions,
        ...catalogue.parameters(model, { temperature: assistant.temperature, effort: assistant.reasoningEffort }),
        schema,
        knowledge,
        ...tools,
      }));
    }
    const nothingSaid = {
      assistantId: null,
      assistantVersion: null,
      instructions: '',
      temperature: null,
      effort: null,
      schema: null,
    };
    const alone = { ...nothingSaid, knowledge: nothingKnown, ...tools };
    const answering = models.length > 0 ? models : [thread.model ?? (await knownDefaultModel(userId))];
    return answering.map((model) => ({ ...alone, model }));
  };
}

export type AnswererFinder = ReturnType<typeof answererFinder>;
