import { AppError } from '#server/lib/errors';

export const notFound = () => new AppError('not_found', 'Connection not found. It may have been removed.');

export const invalid = (field: string, message: string) =>
  new AppError('invalid_input', message, { fields: { [field]: message } });
