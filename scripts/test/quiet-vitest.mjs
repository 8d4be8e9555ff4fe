import { MinimalReporter } from 'vitest/node';

/** A Vitest reporter that prints nothing for tests that pass, and everything for one that fails. */
export default class QuietReporter extends MinimalReporter {
  /** Without the banner. */
  onInit(ctx) {
    this.ctx = ctx;
    this.silent = 'passed-only';
    const { logger } = ctx;
    const log = logger.log.bind(logger);
    // The report is internal, so its path is not printed.
    logger.log = (...words) => String(words[0]).startsWith('JSON report written to ') || log(...words);
  }
  reportTestSummary() {
    // The step prints the count.
  }
}
