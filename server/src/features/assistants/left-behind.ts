import { beginningOf } from '@roster/contracts/cut';
import { isObject, type JsonObject } from '#server/is-object';

const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const count = (list: unknown[], one: string) => (list.length === 1 ? `one ${one}` : `${list.length} ${one}s`);
/** Notes quote what others wrote; they stay short. */
export const brief = (value: unknown) =>
  typeof value === 'string' && value !== '' ? beginningOf(value, 60) : 'unnamed';

/** What an assistant or agent of the provider has and a Roster assistant has not, one sentence each. */
export function leftBehind(raw: JsonObject): string[] {
  return [
    ...toolNotes(listIn(raw.tools), isObject(raw.tool_resources) ? raw.tool_resources : {}),
    ...(listIn(raw.file_ids).length > 0 ? [`Its ${count(listIn(raw.file_ids), 'file')} cannot be taken along.`] : []),
    ...fileNotes(listIn(raw.files)),
    ...settingNotes(raw),
    ...metadataNotes(raw.metadata),
  ];
}

/** Of Roster's own export: the files are in the account, not in the file that is imported. */
function fileNotes(files: unknown[]): string[] {
  if (files.length === 0) return [];
  const shown = files.slice(0, 5).map(brief).join(', ') + (files.length > 5 ? ' and others' : '');
  return [`Its files cannot be taken along: ${shown}. Give it the files again.`];
}

function toolNotes(tools: unknown[], resources: JsonObject): string[] {
  const named = tools.slice(0, 128).filter(isObject);
  const types = [...new Set(named.map(({ type }) => brief(type)))].filter((type) => type !== 'function');
  const notes = types.map((type) => {
    if (type === 'file_search') return `File search cannot be taken along${held(resources, 'file_search')}.`;
    if (type === 'code_interpreter')
      return `The code interpreter cannot be taken along${held(resources, 'code_interpreter')}.`;
    return `The tool ${type} cannot be taken along.`;
  });
  const functions = named
    .filter(({ type }) => type === 'function')
    .map((tool) => brief(isObject(tool.function) ? tool.function.name : tool.name));
  if (functions.length > 0) {
    const shown = functions.slice(0, 5).join(', ') + (functions.length > 5 ? ' and others' : '');
    notes.push(`Functions cannot be taken along: ${shown}.`);
  }
  return notes;
}

function held(resources: JsonObject, tool: 'file_search' | 'code_interpreter'): string {
  const resource = resources[tool];
  const key = tool === 'file_search' ? 'vector_store_ids' : 'file_ids';
  const ids = isObject(resource) ? listIn(resource[key]) : [];
  if (ids.length === 0) return '';
  return `, nor ${count(ids, tool === 'file_search' ? 'vector store' : 'file')} that belong${ids.length === 1 ? 's' : ''} to it`;
}

function settingNotes(raw: JsonObject): string[] {
  const { multi_agent: multiAgent, response_format: format, service_tier: tier, text, top_p: topP } = raw;
  const formatType = isObject(format) ? format.type : format;
  const verbosity = isObject(text) ? text.verbosity : undefined;
  const isOther = (value: unknown, usual: unknown[]) => value !== undefined && value !== null && !usual.includes(value);
  return [
    isOther(topP, [1]) && `top_p (${brief(String(topP))}) cannot be taken along.`,
    isOther(formatType, ['auto', 'text']) && `The response format ${brief(formatType)} cannot be taken along.`,
    isOther(verbosity, ['medium']) && `The verbosity ${brief(verbosity)} cannot be taken along.`,
    isOther(tier, ['auto', 'default']) && `The service tier ${brief(tier)} cannot be taken along.`,
    isObject(multiAgent) && multiAgent.enabled === true && 'Its sub-agents cannot be taken along.',
  ].filter((note) => note !== false);
}

function metadataNotes(metadata: unknown): string[] {
  const keys = isObject(metadata) ? Object.keys(metadata) : [];
  if (keys.length === 0) return [];
  const shown = keys.slice(0, 5).map(brief).join(', ') + (keys.length > 5 ? ' and others' : '');
  return [`Metadata cannot be taken along: ${shown}.`];
}
