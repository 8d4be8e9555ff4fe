import { parsePrompt } from '@roster/contracts/prompts/variables';

const braced = /\{\{([^{}\r\n]{1,2000})\}\}/g;

/** Variables that the program fills in itself, as far as Roster has their like. */
const filledIn = new Map([
  ['current_date', 'current date: date'],
  ['iso_datetime', 'current date: date'],
  ['current_datetime', 'current date: date'],
]);

const defaultIn = (settings: string) => /:default="([^"]*)"/.exec(settings)?.[1];

function optionsIn(settings: string): string[] {
  const [, list = ''] = /:options=\[([^\]]*)\]/.exec(settings) ?? [];
  return [...list.matchAll(/"([^"|]+)"/g)].map(([, option = '']) => option.trim()).filter(Boolean);
}

/** Converts `name | select:options=["A","B"]` and its like, which Open WebUI writes. */
function typed(inside: string): string | undefined {
  const [, name = '', kind = '', settings = ''] = /^([^|:=]+)\|\s*([a-z-]+)(.*)$/.exec(inside) ?? [];
  if (kind === '') return undefined;
  if (kind === 'date') return `${name.trim()}: date`;
  const preset = defaultIn(settings);
  const options = optionsIn(settings);
  if (kind === 'select' && options.length > 0)
    return `${name.trim()}: ${[...new Set([...(preset === undefined ? [] : [preset]), ...options])].join(' | ')}`;
  return preset === undefined ? name.trim() : `${name.trim()}=${preset}`;
}

/** Writes the variables of another program as Roster's. `kept`: what is in braces and stays text. */
export function convertVariables(text: string): { text: string; kept: string[] } {
  const converted = text.replace(braced, (source, inside: string) => {
    const instead = filledIn.get(inside.trim().toLowerCase()) ?? typed(inside);
    const written = `{{${instead}}}`;
    return instead !== undefined && parsePrompt(written)[0]?.variable ? written : source;
  });
  const left = parsePrompt(converted).flatMap(({ source, variable }) => (variable ? [] : source.match(braced)));
  return { text: converted, kept: [...new Set(left.flatMap((source) => source ?? []))] };
}
