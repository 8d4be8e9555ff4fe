/** The command cannot be done; the message says why. */
export class CliError extends Error {
  override name = 'CliError';
}
