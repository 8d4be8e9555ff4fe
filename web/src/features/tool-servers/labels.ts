import type { ToolApproval } from '@roster/contracts/tool-servers/tool-choice';
import type { ToolServer } from '@roster/contracts/tool-servers/tool-servers';

export const approvalNames: Record<ToolApproval, string> = {
  always: 'Ask every time',
  once: 'Ask once in a conversation',
  never: 'Never ask',
};

export const counted = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

/** Visible part of a secret. */
export const maskedSecret = ({ auth }: ToolServer) =>
  auth.type === 'header' || auth.type === 'query' ? `${auth.name}${auth.last4 ? ` …${auth.last4}` : ''}` : null;

/** Location of a server for display. */
export const serverLocation = ({ kind, url }: ToolServer) => (kind === 'command' ? url.replace(/^command:/, '') : url);

/** Next sign-in step before the server's tools can be called; null if none. */
export function signInPrompt({ signIn }: ToolServer): string | null {
  if (signIn === null || signIn.state === 'done') return null;
  return signIn.state === 'needed' ? 'Sign-in required' : 'Sign in again';
}

/** Describes what is in progress and how long it may take. */
export function waitingText({ kind }: ToolServer): string {
  if (kind === 'command') return 'Starting the command and loading its tools. This can take up to a minute.';
  return kind === 'openapi'
    ? 'Fetching and reading its description. This can take up to a minute.'
    : 'Loading the server’s tools. This can take up to 20 seconds.';
}
