import { stripVTControlCharacters } from 'node:util';

const print = (text) => process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
const printError = ({ message, stack, value, snippet }) => {
  print(stripVTControlCharacters(stack ?? message ?? value ?? 'An error without words'));
  if (snippet) print(snippet);
};

/** A Playwright reporter that prints nothing for tests that pass, and everything for one that fails. */
export default class QuietReporter {
  printsToStdio() {
    return true;
  }
  onTestEnd(test, { status, errors, stdout, stderr, attachments }) {
    if (status === test.expectedStatus) return;
    const { file, line } = test.location;
    print(`\n${status}: ${test.titlePath().slice(3).join(' › ')}\n  at ${file}:${line}`);
    errors.forEach(printError);
    for (const chunk of [...stdout, ...stderr]) print(chunk.toString());
    for (const { name, path } of attachments) if (path) print(`${name}: ${path}`);
  }
  onError(error) {
    printError(error);
  }
}
