import type { RelayPath } from '#server/provider/relay';

/** The differences between the calls that are forwarded. */
export type RelayKind = {
  path: RelayPath;
  /** Fields of which an answer in JSON has at least one; without them it may be an error. */
  answers: readonly string[];
  /** Recorded if neither the client nor the answer names a model. */
  unnamedModel?: string;
  /** The answer is text whose length says something about its tokens. */
  writesText?: boolean;
  /** The answer may be text instead of JSON. */
  maybeText?: boolean;
  /** The answer is a sound. */
  isBinary?: boolean;
  /** An image is generated, during which nothing arrives. */
  draws?: boolean;
  /** Longest event of a stream, if it may hold an image or a sound. */
  eventBytes?: number;
};

const mebibyte = 1024 * 1024;

export const relayKinds = {
  embeddings: { path: '/embeddings', answers: ['data'] },
  completions: { path: '/completions', answers: ['choices'], writesText: true },
  moderations: { path: '/moderations', answers: ['results'], unnamedModel: 'default-moderation-model' },
  images: {
    path: '/images/generations',
    answers: ['data'],
    unnamedModel: 'default-image-model',
    draws: true,
    eventBytes: 32 * mebibyte,
  },
  speech: { path: '/audio/speech', answers: [], isBinary: true },
  transcriptions: { path: '/audio/transcriptions', answers: ['text', 'segments', 'words'], maybeText: true },
} satisfies Record<string, RelayKind>;
