import { writeFileSync } from 'node:fs';

/**
 * Tells how many tests passed and failed; a suite that broke before its tests counts as one failure. Into the file that `TIDINGS_TALLY`
 * names, or else as `N passed, N failed` in the last line of the run.
 */
export default class TallyReporter {
  onRunComplete(_contexts, { numPassedTests: passed, numFailedTests, numRuntimeErrorTestSuites, numPendingTests }) {
    const tally = { passed, failed: numFailedTests + numRuntimeErrorTestSuites, skipped: numPendingTests };
    const file = process.env.TIDINGS_TALLY;
    if (file) {
      writeFileSync(file, JSON.stringify(tally));
      return;
    }
    // On exit, because Jest's own summary comes after the reporters have been asked.
    process.on('exit', () => {
      if (tally.skipped > 0) console.log(`${tally.skipped} SKIPPED: a server that these tests need is missing`);
      console.log(`${tally.passed} passed, ${tally.failed} failed`);
    });
  }
}
