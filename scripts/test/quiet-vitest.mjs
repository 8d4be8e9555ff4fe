import { MinimalReporter } from 'vitest/node';

/** A reporter for Vitest that says nothing of tests that pass, and everything of one that does not. */
export default class QuietReporter extends MinimalReporter {
  /** Without the banner. */
  onInit(ctx) {
    this.ctx = ctx;
    this.silent = 'passed-only';
    const { logger } = ctx;
    const log = logger.log.bind(logger);
    // The report is ours: where it lies is nobody's concern.
    logger.log = (...words) => String(words[0]).startsWith('JSON report written to ') || log(...words);
  }
  reportTestSummary() {
    // The step prints the count.
  }
}
