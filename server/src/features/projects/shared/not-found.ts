import { AppError } from '#server/lib/errors';

export const projectNotFound = () => new AppError('not_found', 'Project not found. It may have been deleted.');
