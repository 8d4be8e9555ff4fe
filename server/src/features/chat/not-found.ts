import { AppError } from '#server/errors';

export const noThread = () => new AppError('not_found', 'This conversation does not exist.');
export const noMessage = () => new AppError('not_found', 'This message does not exist.');
