import { MessageNotFoundError, ThreadNotFoundError } from '#server/conversation/errors';

export const noThread = () => new ThreadNotFoundError('not_found', 'This conversation does not exist.');
export const noMessage = () => new MessageNotFoundError('not_found', 'This message does not exist.');
