import type { Ability, AbilityCheck } from '@roster/contracts/connections/connections';

export const counted = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

/** Names of what is tried, and the parts of Roster that need it. */
export const abilityNames: Record<Ability, readonly [name: string, use: string]> = {
  models: ['List of models', 'Choosing a model from a list'],
  answer: ['Answers', 'Every conversation'],
  streaming: ['Streaming', 'Seeing the answer while it is written'],
  reasoning: ['Reasoning', 'Seeing how a model arrived at its answer'],
  tools: ['Tool calls', 'Connected tools of assistants'],
  images: ['Images', 'Attaching images to a message'],
  jsonSchema: ['JSON schema', 'Assistants with a response format, and judges'],
  files: ['Files', 'Copies of attachments and files to search'],
  embeddings: ['Embeddings', 'Programs that call /v1/embeddings'],
  fineTuning: ['Fine-tuning', 'Training your own models'],
};

export const resultNames: Record<
  AbilityCheck['result'],
  readonly [text: string, tone: 'success' | 'destructive' | 'neutral']
> = {
  works: ['Works', 'success'],
  fails: ['Does not work', 'destructive'],
  unknown: ['Unknown', 'neutral'],
};
