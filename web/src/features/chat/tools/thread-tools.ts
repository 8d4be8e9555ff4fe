import {
  type AssistantTools,
  type BuiltInTool,
  builtInTools,
  type ThreadTools,
} from '@roster/contracts/assistants/tools';

/** The tools of a conversation, where one can switch them. */
export type ComposerTools = {
  assistantId: number | null;
  /** What answers without an assistant; null: the default model. */
  model: string | null;
  switched: ThreadTools;
  onSwitch: (tools: ThreadTools | null) => void;
};

export const builtInToolNames: Record<BuiltInTool, string> = {
  webSearch: 'Web search',
  codeInterpreter: 'Code interpreter',
  imageGeneration: 'Image generation',
};

export const isOn = (name: BuiltInTool, own: AssistantTools, switched: ThreadTools): boolean =>
  switched[name] ?? own[name] !== undefined;

const orNothing = (tools: ThreadTools): ThreadTools | null => (Object.keys(tools).length > 0 ? tools : null);

/** What is switched once a tool is on or off; a tool that is as the assistant has it is not switched. */
export function withBuiltInTool(name: BuiltInTool, on: boolean, own: AssistantTools, switched: ThreadTools) {
  const { [name]: _, ...others } = switched;
  return orNothing((own[name] !== undefined) === on ? others : { ...others, [name]: on });
}

export function withServer(id: number, on: boolean, { serversOff = [], ...hosted }: ThreadTools) {
  const off = [...serversOff.filter((other) => other !== id), ...(on ? [] : [id])];
  return orNothing({ ...hosted, ...(off.length > 0 && { serversOff: off }) });
}

/** What is switched without this tool or server. */
export function withoutOverride(key: BuiltInTool | number, switched: ThreadTools): ThreadTools | null {
  if (typeof key === 'number') return withServer(key, true, switched);
  const { [key]: _, ...others } = switched;
  return orNothing(others);
}

/** The tools of the provider that are switched, in the order in which they are shown. */
export const overriddenBuiltInTools = (switched: ThreadTools) =>
  builtInTools.flatMap((name) => {
    const on = switched[name];
    return on === undefined ? [] : [{ name, on }];
  });
