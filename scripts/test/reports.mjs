import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../install.mjs';

/**
 * The results of a test run: counts, and a line for each failed test. Tests that needed a retry or were skipped count
 * as failed, because what they check is unknown.
 */
function fromReport(file, ok, read) {
  try {
    const outcome = read(JSON.parse(readFileSync(file, 'utf8')));
    // A run that failed without a failed test, such as an error between tests, counts as one failure.
    return { ...outcome, failed: outcome.failed === 0 && !ok ? 1 : outcome.failed };
  } catch (error) {
    return { passed: 0, failed: 1, names: [`No report: ${error.message}`] };
  }
}

const isFailed = ({ status }) => status === 'failed';
const leftOut = new Set(['skipped', 'pending', 'disabled', 'todo']);

/** `isChosen`: only tests with certain titles were requested, so that skipping the others is right. */
export const vitestReport = (file, ok, isChosen) =>
  fromReport(file, ok, ({ numPassedTests, numFailedTests, testResults }) => {
    const complained = (status) =>
      testResults.flatMap(({ name, assertionResults }) =>
        assertionResults
          .filter((test) => test.status === status && test.failureMessages.length > 0)
          .map(({ fullName, failureMessages }) => named(relative(root, name), fullName, failureMessages)),
      );
    // A test that passed but has errors failed at first.
    const retried = complained('passed');
    const skipped = isChosen
      ? []
      : testResults.flatMap(({ name, assertionResults }) =>
          assertionResults
            .filter(({ status }) => leftOut.has(status))
            .map(({ fullName }) => named(relative(root, name), fullName, ['It was left out.'])),
        );
    // A file that cannot be loaded, or whose setup failed, has no failed test.
    const broken = testResults
      .filter(({ status, assertionResults }) => status === 'failed' && !assertionResults.some(isFailed))
      .map(({ name, message }) => named(relative(root, name), 'the file itself', message ? [message] : []));
    return {
      passed: numPassedTests - retried.length,
      failed: numFailedTests + broken.length + retried.length + skipped.length,
      names: [...complained('failed'), ...broken, ...retried, ...skipped],
      files: testResults.map(({ name, startTime, endTime, assertionResults }) => ({
        file: pathOf(name),
        milliseconds: endTime - startTime,
        tests: assertionResults.length,
      })),
    };
  });

export const playwrightReport = (file, ok) =>
  fromReport(file, ok, (report) => {
    const { expected, flaky, unexpected, skipped } = report.stats;
    return {
      passed: expected,
      failed: unexpected + flaky + skipped,
      names: [
        ...['unexpected', 'flaky', 'skipped'].flatMap((status) => namesOf(report, status)),
        ...report.errors.map(({ location, message }) =>
          named(location ? relative(root, location.file) : 'e2e', 'outside of tests', [message ?? '']),
        ),
      ],
      files: report.suites.map((suite) => {
        const tests = specs(suite).flatMap((spec) => spec.tests);
        const results = tests.flatMap((test) => test.results);
        const milliseconds = results.reduce((sum, { duration }) => sum + duration, 0);
        return { file: `e2e/${suite.file}`, milliseconds, tests: tests.length };
      }),
      unexpected: specs(report).flatMap(({ file, line, title, tests }) =>
        tests
          .filter(({ status }) => status === 'unexpected')
          .map((test) => ({ place: `e2e/${file}:${line}`, title, traces: tracesOf(test) })),
      ),
      traces: specs(report).flatMap(({ tests }) => tests.flatMap(tracesOf)),
    };
  });

const pathOf = (file) => relative(root, file).replaceAll('\\', '/');
const tracesOf = ({ results }) =>
  results.flatMap(({ attachments }) => attachments.filter(({ name }) => name === 'trace').map(({ path }) => path));

const named = (file, title, messages) =>
  `${file.replaceAll('\\', '/')} › ${title.replaceAll(/\s+/g, ' ')} (${firstLine(messages[0] ?? 'no message')})`;
const firstLine = (message) => stripVTControlCharacters(message).split('\n', 1)[0].slice(0, 200);

/** All tests of a browser report, which nests them in files and groups. */
const specs = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specs)];
const namesOf = (report, status) =>
  specs(report).flatMap(({ file, line, title, tests }) =>
    tests
      .filter((test) => test.status === status)
      .map(({ results }) =>
        named(
          `${join('e2e', file)}:${line}`,
          title,
          results.flatMap(({ errors }) => errors.map(({ message }) => message ?? '')),
        ),
      ),
  );
