import { expect, test } from 'vitest';
import { exportFileName } from './export.ts';

test.each([
  ['Research Helper', 'research-helper.json'],
  ['Übung: Größe/2', 'übung-größe-2.json'],
  ['../../etc', 'etc.json'],
  ['***', 'assistant.json'],
])('saves %s as %s', (name, file) => expect(exportFileName(name)).toBe(file));
