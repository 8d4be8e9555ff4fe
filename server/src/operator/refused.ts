/** The command cannot be done; the message says why. */
export class Refused extends Error {
  override name = 'Refused';
}
