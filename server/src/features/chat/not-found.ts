import { AppError } from '#server/errors';

export class NoThread extends AppError {
  override name = 'NoThread';
}
export class NoMessage extends AppError {
  override name = 'NoMessage';
}

export const noThread = () => new NoThread('not_found', 'This conversation does not exist.');
export const noMessage = () => new NoMessage('not_found', 'This message does not exist.');
