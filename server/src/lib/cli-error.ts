/** The command cannot be executed; the message says why. */
export class CliError extends Error {
  override name = 'CliError';
}
