import { browserCookie } from '#server/features/auth/shared/browser-cookie';
import { flowSeconds } from './flows.ts';

/** Binds a sign-in at Google or GitHub to this browser. */
export const flowCookie = (secure: boolean) => browserCookie({ name: 'sign-in', seconds: flowSeconds, secure });

export type FlowCookie = ReturnType<typeof flowCookie>;
