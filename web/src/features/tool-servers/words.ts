import type { ToolApproval, ToolServer } from '@roster/contracts/tool-servers';

export const approvalNames: Record<ToolApproval, string> = {
  always: 'Ask every time',
  once: 'Ask once in a conversation',
  never: 'Never ask',
};

export const counted = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

/** What is shown of the header or key, as its value is not. */
export const secretOf = ({ auth }: ToolServer) =>
  auth.type === 'header' || auth.type === 'query' ? `${auth.name}${auth.last4 ? ` …${auth.last4}` : ''}` : null;

/** Where it is, as people read it. */
export const placeOf = ({ kind, url }: ToolServer) => (kind === 'command' ? url.replace(/^command:/, '') : url);

/** What a person has to do before the tools of a server can be called; null: nothing. */
export function signInWanted({ signIn }: ToolServer): string | null {
  if (signIn === null || signIn.state === 'done') return null;
  return signIn.state === 'needed' ? 'Sign in needed' : 'Sign in again';
}
