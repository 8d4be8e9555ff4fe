import { providerNameIn } from '@roster/contracts/provider-name';

/** Notices of a job that waits, or that only a user can resume. */
export function jobMessages(providerName: string) {
  return {
    noKey: 'This job continues once you save an API key in Settings.',
    keyRejected: (reason: string) => `${reason} This job continues once you save a working API key.`,
    unseen: (reason: string) =>
      `${reason} What ${providerName} does with this job cannot be seen right now. Roster keeps trying.`,
    notSent: (reason: string) => `${reason} The job has not reached ${providerName} yet. Roster keeps trying.`,
    foreign: `The account of your API key has no such job at ${providerName}: it was created with a key of another account, or deleted there. Its last known state is shown. Save a key of that account to follow it again.`,
    lookingForIt: `${providerNameIn('beginning', providerName)} did not answer when the job was sent. Before sending it again, Roster checks whether it arrived.`,
    waitingForFile: (filename: string, reason: string | null) =>
      `Waiting for ${filename} to reach ${providerName}.${reason ? ` ${reason}` : ''}`,
    fileDeleted: (filename: string) => `${filename} was deleted before training started.`,
    fileNotTaken: (filename: string, reason: string | null) =>
      `${filename} could not be sent to ${providerName}.${reason ? ` ${reason}` : ''}`,
    notServed: `${providerNameIn('beginning', providerName)} does not offer fine-tuning. Everything else works as before.`,
    trainingNotAvailable: (reason: string) =>
      `${reason} OpenAI is ending fine-tuning: it was closed on May 7, 2026 to organizations that had never trained, on July 2, 2026 to those that had not used it recently, and ends for everybody on January 6, 2027. Models that were trained end with their base models on January 14, 2027; until then they can be used, listed and deleted as before.`,
    cancelRefused: (reason: string) => `The job could not be cancelled. ${reason}`,
  };
}

export type JobMessages = ReturnType<typeof jobMessages>;
