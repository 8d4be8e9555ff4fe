import type { Assistant } from '@roster/contracts/assistants/assistants';
import type { AssistantTools, BuiltInTool, ThreadTools } from '@roster/contracts/assistants/tools';
import type { ReasoningEffort } from '@roster/contracts/models/models';
import { TrialSettings } from '@roster/contracts/trials';
import type { Knowledge } from '#server/features/assistants/knowledge/service';
import type { ProjectRepository } from '#server/features/projects/repository';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { AnswerRequest } from '#server/provider/provider';
import { schemaFormat } from '#server/provider/schema-format';
import type { ThreadRecord } from './thread-repository.ts';

/** Settings of an assistant, or just a model, that answer in a thread. */
export type ChatTarget = {
  assistantId: number | null;
  /** null: no assistant, or unknown. */
  assistantVersion: number | null;
  /** null: the default model, which the run looks up. */
  model: string | null;
  instructions: string;
  /** null: not sent. */
  temperature: number | null;
  effort: ReasoningEffort | null;
  /** The text of a JSON schema; null: none, or the client's own format. */
  schema: string | null;
  /** The files to search, and notes about those that cannot be searched. */
  knowledge: Knowledge;
  /** Built-in tools. */
  hosted?: AssistantTools;
  /** Tool servers that the thread has switched off. */
  serversOff?: readonly number[];
  /** Options that only API clients can set. */
  asked?: ApiRunRequest;
};

/** Limits that a client has set for the history. */
export type HistoryLimits = { lastMessages: number | null; tokens: number | null };

/** Options of an API run beyond the assistant's settings. */
export type ApiRunRequest = Pick<AnswerRequest, 'topP' | 'maxOutputTokens' | 'format' | 'tools'> & {
  limits: HistoryLimits;
  /** Files that the code interpreter can read. */
  codeFiles: readonly number[];
};

type Dependencies = {
  catalogue: Catalogue;
  findAssistant: (userId: number, assistantId: number) => Promise<Assistant | undefined>;
  findProject: ProjectRepository['find'];
  /** Does not call the provider; null: unknown. */
  knownDefaultModel: (userId: number) => Promise<string | null>;
  knowledgeOf: (userId: number, assistantId: number) => Promise<Knowledge>;
};

export const noKnowledge: Knowledge = { search: undefined, notes: [] };

/** The format of an answer with a JSON schema. A model that does not support it answers in plain text. */
export const responseFormat = (schema: string | null) =>
  schema === null ? {} : { format: schemaFormat(schema), canLeaveFormatOut: true };

/** The assistant's tools with the thread's switches applied. */
function resolveTools(own: AssistantTools, here: ThreadTools): Pick<ChatTarget, 'hosted' | 'serversOff'> {
  const has = (name: BuiltInTool) => here[name] ?? own[name] !== undefined;
  const hosted: AssistantTools = {
    ...(has('webSearch') && { webSearch: own.webSearch ?? {} }),
    ...(has('codeInterpreter') && { codeInterpreter: own.codeInterpreter ?? {} }),
    ...(has('imageGeneration') && { imageGeneration: own.imageGeneration ?? {} }),
  };
  const { serversOff = [] } = here;
  return { ...(Object.keys(hosted).length > 0 && { hosted }), ...(serversOff.length > 0 && { serversOff }) };
}

/**
 * The project's instructions come after the assistant's. API runs find their target themselves and have none of them,
 * even in a thread that its owner has moved to a project: a client is answered by the instructions that it names.
 */
const joinInstructions = (...parts: string[]) => parts.filter((part) => part.trim() !== '').join('\n\n');

/** Finds a target for each of `models`, or the thread's own if there are none. Does not call the provider. */
export function chatTargetFinder(dependencies: Dependencies) {
  const { catalogue, findAssistant, findProject, knownDefaultModel, knowledgeOf } = dependencies;
  return async function findTargets(
    userId: number,
    thread: Pick<ThreadRecord, 'assistantId' | 'model' | 'tools' | 'projectId' | 'trialSettings'>,
    models: string[],
  ): Promise<ChatTarget[]> {
    const assistant = thread.assistantId === null ? undefined : await findAssistant(userId, thread.assistantId);
    const project = thread.projectId === undefined ? undefined : await findProject(userId, thread.projectId);
    const trial = thread.trialSettings === null ? undefined : TrialSettings.parse(JSON.parse(thread.trialSettings));
    const settings = trial ?? assistant;
    const instructions = joinInstructions(settings?.instructions ?? '', project?.instructions ?? '');
    const tools = resolveTools(settings?.tools ?? {}, thread.tools ?? {});
    if (settings) {
      const { temperature, reasoningEffort: effort, responseSchema: schema } = settings;
      const knowledge = assistant && assistant.files > 0 ? await knowledgeOf(userId, assistant.id) : noKnowledge;
      return (models.length > 0 ? models : [settings.model]).map((model) => ({
        assistantId: assistant?.id ?? null,
        // A trial’s settings are no version’s.
        assistantVersion: trial ? null : (assistant?.version ?? null),
        model,
        instructions,
        ...catalogue.parameters(model, { temperature, effort }),
        schema,
        knowledge,
        ...tools,
      }));
    }
    const nothingSaid = {
      assistantId: null,
      assistantVersion: null,
      instructions,
      temperature: null,
      effort: null,
      schema: null,
    };
    const alone = { ...nothingSaid, knowledge: noKnowledge, ...tools };
    const answering = models.length > 0 ? models : [thread.model ?? (await knownDefaultModel(userId))];
    return answering.map((model) => ({ ...alone, model }));
  };
}

export type ChatTargetFinder = ReturnType<typeof chatTargetFinder>;
