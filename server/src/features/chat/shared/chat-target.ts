import type { Assistant } from '@roster/contracts/assistants/assistants';
import type { AssistantTools, BuiltInTool, ThreadTools } from '@roster/contracts/assistants/tools';
import { connectionIdOf, modelIdOf } from '@roster/contracts/models/model-reference';
import type { ReasoningEffort } from '@roster/contracts/models/models';
import type { ToolChoice } from '@roster/contracts/tool-servers/tool-choice';
import { TrialSettings } from '@roster/contracts/trials';
import type { Knowledge } from '#server/features/assistants/knowledge/service';
import type { ProjectRepository } from '#server/features/projects/shared/repository';
import type { Catalogue } from '#server/provider/catalogue/catalogue';
import type { OpenKey } from '#server/provider/keys/open-key';
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
  /** null, or left out by an earlier version: all of the instructions are sent to the letter. */
  variables?: FilledVariables | null;
  /** null: not sent. */
  temperature: number | null;
  effort: ReasoningEffort | null;
  /** The text of a JSON schema; null: none, or the client's own format. */
  schema: string | null;
  /** The files to search, and notes about those that cannot be searched. */
  knowledge: Knowledge;
  /** Earlier messages are summarized before they fill the context. */
  summarizes?: true;
  /** Built-in tools. */
  hosted?: AssistantTools;
  /** Connected tools of an assistant that is not saved yet. */
  triedTools?: ToolChoice[];
  /** Tool servers that the thread has switched off. */
  serversOff?: readonly number[];
  /** Options that only API clients can set. */
  apiRequest?: ApiRunRequest;
  /** The assistant's other model, which is asked if this one is down, over its limit or gone. */
  fallback?: FallbackTarget;
};

/** Variables are filled in in the first `length` characters; a client may have added a text of its own. */
type FilledVariables = { assistantName: string | null; length: number };

type FallbackTarget = { model: string } & Pick<ChatTarget, 'temperature' | 'effort' | 'knowledge' | 'apiRequest'>;

/** One key of the two is enough. @throws AppError no_api_key, key_unreadable */
export async function checkKeys(openKey: OpenKey, userId: number, { model, fallback }: ChatTarget): Promise<void> {
  try {
    await openKey(userId, model);
  } catch (error) {
    if (!fallback) throw error;
    await openKey(userId, fallback.model).catch(() => {
      throw error;
    });
  }
}

/** Models that must answer, because no fallback stands in for them. */
export const modelsWithoutFallback = (targets: readonly ChatTarget[]): string[] =>
  targets.flatMap(({ model, fallback }) => (model === null || fallback ? [] : model));

/** Limits that a client has set for the history. */
export type HistoryLimits = { lastMessages: number | null; tokens: number | null };

/** Options of an API run beyond the assistant's settings. */
type ApiRunRequest = Pick<AnswerRequest, 'topP' | 'maxOutputTokens' | 'format' | 'tools'> & {
  limits: HistoryLimits;
  /** Files that the code interpreter can read. */
  codeFiles: readonly number[];
};

/** The files that a thread’s answers search: those of its assistant and of its project. */
export type ThreadKnowledge = {
  findProject: ProjectRepository['find'];
  knowledgeOf: (userId: number, assistantId: number) => Promise<Knowledge>;
  projectKnowledgeOf: (userId: number, projectId: number) => Promise<Knowledge>;
};

type Dependencies = ThreadKnowledge & {
  catalogue: Catalogue;
  findAssistant: (userId: number, assistantId: number) => Promise<Assistant | undefined>;
  /** Does not call the provider; null: unknown. */
  knownDefaultModel: (userId: number) => Promise<string | null>;
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

/** The files of an assistant and of a project, searched together. */
function joinKnowledge(own: Knowledge, shared: Knowledge): Knowledge {
  const notes = [...own.notes, ...shared.notes];
  const [one, other] = [own.search, shared.search];
  if (!one || !other) return { search: one ?? other, notes };
  const onRefused = () => {
    one.onRefused();
    other.onRefused();
  };
  const files = new Map([...one.files, ...other.files]);
  return { search: { storeIds: [...one.storeIds, ...other.storeIds], files, onRefused }, notes };
}

type InProject = Pick<ThreadKnowledge, 'findProject' | 'projectKnowledgeOf'>;

/** The instructions and files that a project adds to the answers in its threads. */
async function sharedInProject({ findProject, projectKnowledgeOf }: InProject, userId: number, projectId?: number) {
  const project = projectId === undefined ? undefined : await findProject(userId, projectId);
  if (!project) return { instructions: '', knowledge: noKnowledge };
  const knowledge = project.files > 0 ? await projectKnowledgeOf(userId, project.id) : noKnowledge;
  return { instructions: project.instructions, knowledge };
}

/** The files of a run that goes on after a pause, as they are now. */
export async function knowledgeOfThread(
  dependencies: ThreadKnowledge,
  userId: number,
  assistantId: number | null,
  projectId: number | undefined,
): Promise<Knowledge> {
  const own = assistantId === null ? noKnowledge : await dependencies.knowledgeOf(userId, assistantId);
  const { knowledge } = await sharedInProject(dependencies, userId, projectId);
  return joinKnowledge(own, knowledge);
}

/** Files are indexed by the installation's provider, which other connections cannot search. */
export function withoutIndexedFiles(model: string | null, { search, notes }: Knowledge): { knowledge?: Knowledge } {
  if (!search || model === null || connectionIdOf(model) === null) return {};
  const note = `The files could not be searched: they are indexed at another provider than ${modelIdOf(model)}’s.`;
  return { knowledge: { search: undefined, notes: [...notes, note] } };
}

type TargetThread = Pick<ThreadRecord, 'assistantId' | 'model' | 'tools' | 'projectId' | 'trialSettings'>;

const trialSettingsOf = ({ trialSettings }: TargetThread): TrialSettings | undefined =>
  trialSettings === null ? undefined : TrialSettings.parse(JSON.parse(trialSettings));

/** Parts of an assistant that is tried before it is saved. */
const unsavedParts = ({ files = [], chosenTools = [] }: TrialSettings): Partial<ChatTarget> => ({
  ...(chosenTools.length > 0 && { triedTools: chosenTools }),
  ...(files.length > 0 && { knowledge: { search: undefined, notes: [filesNotIndexed(files.length)] } }),
});

const filesNotIndexed = (count: number) =>
  `${count === 1 ? 'The file was' : `The ${count} files were`} not searched: files are indexed once the assistant is saved.`;

/** Finds a target for each of `models`, or the thread's own if there are none. Does not call the provider. */
export function chatTargetFinder(dependencies: Dependencies) {
  const { catalogue, findAssistant, knownDefaultModel, knowledgeOf } = dependencies;

  /** The parts that all targets of a thread share, and the settings of its assistant or trial, if it has one. */
  async function sharedOf(userId: number, thread: TargetThread) {
    const assistant = thread.assistantId === null ? undefined : await findAssistant(userId, thread.assistantId);
    const project = await sharedInProject(dependencies, userId, thread.projectId);
    const own = assistant && assistant.files > 0 ? await knowledgeOf(userId, assistant.id) : noKnowledge;
    const trial = trialSettingsOf(thread);
    const settings = trial ?? assistant;
    const instructions = joinInstructions(settings?.instructions ?? '', project.instructions);
    const shared = {
      assistantId: assistant?.id ?? null,
      // A trial’s settings are no version’s.
      assistantVersion: trial ? null : (assistant?.version ?? null),
      instructions,
      variables: { assistantName: settings?.name ?? null, length: instructions.length },
      schema: settings?.responseSchema ?? null,
      knowledge: joinKnowledge(own, project.knowledge),
      ...(!assistant && trial && unsavedParts(trial)),
      ...(settings?.earlierMessages === 'summarize' && { summarizes: true as const }),
      ...resolveTools(settings?.tools ?? {}, thread.tools ?? {}),
    };
    return { settings, shared };
  }

  return async function findTargets(userId: number, thread: TargetThread, models: string[]): Promise<ChatTarget[]> {
    const { settings, shared } = await sharedOf(userId, thread);
    if (settings) {
      const { model: own, fallbackModel, temperature, reasoningEffort: effort } = settings;
      const answeredBy = (model: string) => ({
        knowledge: shared.knowledge,
        ...withoutIndexedFiles(model, shared.knowledge),
        model,
        ...catalogue.parameters(model, { temperature, effort }),
      });
      if (models.length > 0) return models.map((model) => ({ ...shared, ...answeredBy(model) }));
      const other = fallbackModel === own ? null : fallbackModel;
      return [{ ...shared, ...answeredBy(own), ...(other !== null && { fallback: answeredBy(other) }) }];
    }
    const answering = models.length > 0 ? models : [thread.model ?? (await knownDefaultModel(userId))];
    return answering.map((model) => ({
      ...shared,
      ...withoutIndexedFiles(model, shared.knowledge),
      ...{ model, temperature: null, effort: null },
    }));
  };
}

export type ChatTargetFinder = ReturnType<typeof chatTargetFinder>;
