import { NoMessage, NoThread } from '#server/conversation/refusals';

export const noThread = () => new NoThread('not_found', 'This conversation does not exist.');
export const noMessage = () => new NoMessage('not_found', 'This message does not exist.');
