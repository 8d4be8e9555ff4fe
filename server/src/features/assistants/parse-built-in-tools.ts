import { AssistantTools } from '@roster/contracts/assistants/tools';
import { isObject, type JsonObject } from '#server/lib/is-object';
import { toArray } from './import-warnings.ts';

const notTaken = 'Built-in tools cannot be imported. Turn them on again.';

/** The built-in tools of an assistant, from Roster’s export or from the tools of an API client or the provider. */
export function parseBuiltInTools({ tools, api }: JsonObject, notes: string[]): AssistantTools {
  if (isObject(tools)) {
    const read = AssistantTools.safeParse(tools);
    if (!read.success) notes.push(notTaken);
    return read.data ?? {};
  }
  // Exports made before built-in tools could be switched on have them only among the API fields.
  const listed = toArray(tools ?? (isObject(api) ? api.tools : undefined)).filter(isObject);
  const named = (...types: string[]) => listed.find(({ type }) => typeof type === 'string' && types.includes(type));
  const search = named('web_search', 'web_search_preview');
  return {
    ...(search && { webSearch: searchOf(search, notes) }),
    ...(named('code_interpreter') && { codeInterpreter: {} }),
    ...(named('image_generation') && { imageGeneration: {} }),
  };
}

function searchOf({ filters, user_location: location }: JsonObject, notes: string[]) {
  const domains = isObject(filters) ? toArray(filters.allowed_domains) : [];
  const { city, region, country } = isObject(location) ? location : {};
  const given = Object.entries({ city, region, country }).filter(([, value]) => value !== undefined && value !== null);
  const wanted = {
    ...(domains.length > 0 && { domains }),
    ...(given.length > 0 && { location: Object.fromEntries(given) }),
  };
  const read = AssistantTools.shape.webSearch.safeParse(wanted);
  if (!read.success) notes.push('The domains and the place of its web search cannot be imported.');
  return read.data ?? {};
}

/** Tools that API clients do not name, since their runs have them from the assistant’s form. */
export const isFormOnlyTool = ({ type }: JsonObject) =>
  type === 'web_search' || type === 'web_search_preview' || type === 'image_generation';
