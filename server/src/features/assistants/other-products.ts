import { otherNames, parseInstructions } from '@roster/contracts/assistants/variables';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { fileCount, listSome, toArray } from './import-warnings.ts';

/** An entry of another product's file in the form that the provider and Roster use, with notes on what is lost. */
type ConvertedAssistant = { raw: JsonObject; notes: string[] };

const note = (list: unknown[], text: (names: string) => string) => (list.length > 0 ? [text(listSome(list))] : []);
const textIn = (value: unknown) => (typeof value === 'string' ? value : undefined);
const nameIn = (value: unknown) => (isObject(value) ? (value.name ?? value.id ?? value.title) : value);
const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Settings of a model that no assistant has here. */
function settingNotes(settings: JsonObject, readSettings: string[]): string[] {
  const left = Object.entries(settings).filter(
    ([name, value]) => !readSettings.includes(name) && value !== null && value !== undefined && value !== '',
  );
  return note(
    left.map(([name]) => name),
    (names) => `These settings cannot be imported: ${names}.`,
  );
}

/** Writes the variables that the other product fills in as Roster does; the others stay, with a note. */
function withVariables(instructions: string | undefined): { instructions: string | undefined; notes: string[] } {
  if (instructions === undefined) return { instructions, notes: [] };
  const pieces = parseInstructions(instructions).map((piece) => ({
    ...piece,
    instead: piece.name === null ? undefined : otherNames.get(piece.name),
  }));
  const left = pieces.flatMap(({ source, name, variable, instead }) =>
    name === null || variable !== null || instead !== undefined ? [] : source,
  );
  return {
    instructions: pieces.map(({ source, instead }) => instead ?? source).join(''),
    notes: note([...new Set(left)], (names) => `These variables in its instructions are not filled in: ${names}.`),
  };
}

/** Open WebUI has temperatures above the usual 2; a value that nobody can have is left to the default. */
const temperatureIn = (value: unknown) =>
  typeof value === 'number' && value >= 0 && value <= 2 ? { temperature: value } : {};

/** A model of Open WebUI: a base model with instructions. */
function fromOpenWebUi(raw: JsonObject): ConvertedAssistant {
  const [meta, params] = [objectIn(raw.meta), objectIn(raw.params)];
  const starters = toArray(meta.suggestion_prompts).flatMap((prompt) => textIn(objectIn(prompt).content) ?? []);
  const { instructions, notes } = withVariables(textIn(params.system));
  return {
    raw: {
      name: textIn(raw.name) ?? textIn(raw.id),
      description: textIn(meta.description),
      model: textIn(raw.base_model_id) ?? textIn(raw.id),
      instructions,
      starters: starters.slice(0, startersTaken),
      reasoningEffort: params.reasoning_effort ?? undefined,
      created_at: raw.created_at,
      ...temperatureIn(params.temperature),
    },
    notes: [
      ...note(starters.slice(startersTaken), (names) => `These suggestions exceed the limit: ${names}.`),
      ...note(toArray(meta.knowledge).map(nameIn), (names) => `Its knowledge cannot be imported: ${names}.`),
      ...note(toArray(meta.toolIds), (names) => `Its tools cannot be imported: ${names}.`),
      ...note(
        [...toArray(meta.filterIds), ...toArray(meta.actionIds)],
        (names) => `Its functions cannot be imported: ${names}.`,
      ),
      ...settingNotes(params, ['system', 'temperature', 'reasoning_effort']),
      ...notes,
    ],
  };
}

const startersTaken = 6;

const toolsHere: Record<string, string> = { execute_code: 'code_interpreter', web_search: 'web_search' };

/** An agent of LibreChat. */
function fromLibreChat(raw: JsonObject): ConvertedAssistant {
  const settings = objectIn(raw.model_parameters);
  const tools = toArray(raw.tools).map((tool) => nameIn(tool));
  const supported = tools.flatMap((tool) => (typeof tool === 'string' ? (toolsHere[tool] ?? []) : []));
  const others = tools.filter((tool) => typeof tool !== 'string' || !(tool in toolsHere || tool === 'file_search'));
  const files = Object.values(objectIn(raw.tool_resources)).flatMap((one) => toArray(objectIn(one).file_ids));
  const agents = [...toArray(raw.agent_ids), ...toArray(raw.edges)];
  const starters = toArray(raw.conversation_starters);
  const { instructions, notes } = withVariables(textIn(raw.instructions));
  return {
    raw: {
      name: textIn(raw.name),
      description: textIn(raw.description),
      model: textIn(raw.model) ?? textIn(settings.model),
      instructions,
      starters: starters.slice(0, startersTaken),
      tools: supported.map((type) => ({ type })),
      reasoningEffort: settings.reasoning_effort ?? undefined,
      ...temperatureIn(settings.temperature),
    },
    notes: [
      ...note(starters.slice(startersTaken), (names) => `These conversation starters exceed the limit: ${names}.`),
      ...(files.length > 0 ? [`Its ${fileCount(files)} cannot be imported.`] : []),
      ...note(others, (names) => `Its tools cannot be imported: ${names}.`),
      ...(agents.length > 0 ? ['Its other agents cannot be imported.'] : []),
      ...settingNotes(settings, ['model', 'temperature', 'reasoning_effort']),
      ...notes,
    ],
  };
}

const gptTools: Record<string, string> = {
  browser: 'web_search',
  web_search: 'web_search',
  python: 'code_interpreter',
  dalle: 'image_generation',
  image_gen: 'image_generation',
};

/** A GPT as ChatGPT describes it. It has no model of its own. */
function fromChatGpt(raw: JsonObject, defaultModel: string): ConvertedAssistant {
  const gizmo = objectIn(raw.gizmo ?? raw.resource);
  const display = objectIn(gizmo.display);
  const types = toArray(raw.tools ?? gizmo.tools).map((tool) => (isObject(tool) ? tool.type : tool));
  const supported = types.flatMap((type) => (typeof type === 'string' ? (gptTools[type] ?? []) : []));
  const others = types.filter((type) => typeof type !== 'string' || !(type in gptTools));
  const files = toArray(raw.files ?? gizmo.files);
  const starters = toArray(display.prompt_starters);
  return {
    raw: {
      name: textIn(display.name) ?? textIn(gizmo.name),
      description: textIn(display.description),
      model: defaultModel,
      instructions: textIn(gizmo.instructions),
      starters: starters.slice(0, startersTaken),
      tools: [...new Set(supported)].map((type) => ({ type })),
    },
    notes: [
      `GPTs have no model of their own: it uses ${defaultModel}.`,
      ...note(starters.slice(startersTaken), (names) => `These conversation starters exceed the limit: ${names}.`),
      ...note(files.map(nameIn), (names) => `Its files cannot be imported: ${names}.`),
      ...note(others, (names) => `Its actions cannot be imported: ${names}.`),
    ],
  };
}

const isOpenWebUi = (raw: JsonObject) => 'base_model_id' in raw || (isObject(raw.meta) && isObject(raw.params));
const isLibreChat = (raw: JsonObject) =>
  typeof raw.id === 'string' && raw.id.startsWith('agent_') && raw.object === undefined && 'provider' in raw;
const isGpt = (raw: JsonObject) => isObject(raw.gizmo) || (isObject(raw.resource) && isObject(raw.resource.display));

/** Reads an entry of another product; an entry of the provider or of Roster is returned as it is. */
export function fromOtherProduct(raw: unknown, defaultModel: string): { raw: unknown; notes: string[] } {
  if (!isObject(raw)) return { raw, notes: [] };
  if (isOpenWebUi(raw)) return fromOpenWebUi(raw);
  if (isLibreChat(raw)) return fromLibreChat(raw);
  return isGpt(raw) ? fromChatGpt(raw, defaultModel) : { raw, notes: [] };
}
