import { tidyName } from '@roster/contracts/text/name';
import { truncate } from '@roster/contracts/text/truncate';

const titleLength = 60;

/** The title of a thread without messages. */
export const newTitle = 'New conversation';

/** The first words of a message, used as the title until a better one is suggested. */
export function openingTitle(message: string): string {
  const line = tidyName(message).replace(/\s+/g, ' ');
  if (line.length <= titleLength) return line;
  const cut = truncate(line, titleLength);
  const space = cut.lastIndexOf(' ');
  return `${(space > titleLength / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}
