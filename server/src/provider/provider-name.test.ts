import { providerNameIn } from '@roster/contracts/provider-name';
import { expect, test } from 'vitest';

test.each([
  ['OpenAI', 'OpenAI accepted it.', 'your OpenAI API key'],
  ['the simulator', 'The simulator accepted it.', 'your simulator API key'],
  ['a local model', 'A local model accepted it.', 'your local model API key'],
  ['Theta', 'Theta accepted it.', 'your Theta API key'],
  ['localhost:8080', 'localhost:8080 accepted it.', 'your localhost:8080 API key'],
])('puts a provider called %s into a sentence', (name, beginning, compound) => {
  expect(`${providerNameIn('beginning', name)} accepted it.`).toBe(beginning);
  expect(`your ${providerNameIn('compound', name)} API key`).toBe(compound);
});
