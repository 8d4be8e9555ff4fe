import {
  type AssistantTools,
  type BuiltInTool,
  builtInTools,
  type ThreadTools,
} from '@roster/contracts/assistants/tools';

/** Tools of a conversation and a function to override them. */
export type ComposerTools = {
  /** Left out for a new conversation. */
  threadId?: number;
  assistantId: number | null;
  /** Model without an assistant; null for the default. */
  model: string | null;
  switched: ThreadTools;
  onSwitch: (tools: ThreadTools | null) => void;
};

export const hostedNames: Record<BuiltInTool, string> = {
  webSearch: 'Web search',
  codeInterpreter: 'Code interpreter',
  imageGeneration: 'Image generation',
};

export const isOn = (name: BuiltInTool, own: AssistantTools, switched: ThreadTools): boolean =>
  switched[name] ?? own[name] !== undefined;

const orNothing = (tools: ThreadTools): ThreadTools | null => (Object.keys(tools).length > 0 ? tools : null);

/** Overrides after turning a tool on or off; one that equals the assistant's setting is dropped. */
export function withHosted(name: BuiltInTool, on: boolean, own: AssistantTools, switched: ThreadTools) {
  const { [name]: _, ...others } = switched;
  return orNothing((own[name] !== undefined) === on ? others : { ...others, [name]: on });
}

export function withServer(id: number, on: boolean, { serversOff = [], ...hosted }: ThreadTools) {
  const off = [...serversOff.filter((other) => other !== id), ...(on ? [] : [id])];
  return orNothing({ ...hosted, ...(off.length > 0 && { serversOff: off }) });
}

/** Overrides without this tool or server. */
export function without(key: BuiltInTool | number, switched: ThreadTools): ThreadTools | null {
  if (typeof key === 'number') return withServer(key, true, switched);
  const { [key]: _, ...others } = switched;
  return orNothing(others);
}

/** Overridden built-in tools, in display order. */
export const switchedHosted = (switched: ThreadTools) =>
  builtInTools.flatMap((name) => {
    const on = switched[name];
    return on === undefined ? [] : [{ name, on }];
  });
