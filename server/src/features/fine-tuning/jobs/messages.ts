import { providerNameIn } from '@roster/contracts/provider-name';

/** Notices of a job that waits, or that only a user can resume. */
export function jobMessages(providerName: string) {
  return {
    noKey: 'This job goes on once you have saved an API key in Settings.',
    keyRejected: (said: string) => `${said} This job goes on once you have saved an API key that works.`,
    unseen: (said: string) =>
      `${said} What ${providerName} does with this job cannot be seen right now; Roster goes on trying.`,
    notSent: (said: string) => `${said} The job is not at ${providerName} yet; Roster goes on trying.`,
    foreign: `The account of your API key has no such job at ${providerName}: it was made with a key of another account, or deleted there. What is shown here is the last that was known of it. With a key of that account Roster follows it again.`,
    lookingForIt: `${providerNameIn('beginning', providerName)} did not answer when the job was sent. Roster makes sure that it is not there already before sending it again.`,
    waitingForFile: (filename: string, said: string | null) =>
      `Waiting for ${filename} to reach ${providerName}.${said ? ` ${said}` : ''}`,
    fileDeleted: (filename: string) => `${filename} was deleted before the training began.`,
    fileNotTaken: (filename: string, said: string | null) =>
      `${filename} could not be brought to ${providerName}.${said ? ` ${said}` : ''}`,
    notServed: `${providerNameIn('beginning', providerName)} does not serve fine-tuning. Everything else goes on as before.`,
    trainingNotAvailable: (said: string) =>
      `${said} OpenAI is ending fine-tuning: it was closed on May 7, 2026 to organizations that had never trained, on July 2, 2026 to those that had not used it recently, and ends for everybody on January 6, 2027. Models that were trained end with their base models on January 14, 2027; until then they can be used, listed and deleted as before.`,
    cancelRefused: (said: string) => `The job could not be cancelled. ${said}`,
  };
}

export type JobMessages = ReturnType<typeof jobMessages>;
