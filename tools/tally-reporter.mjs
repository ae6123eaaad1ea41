import { writeFileSync } from 'node:fs';

const tallyOf = ({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests }) => ({
  passed: numPassedTests,
  failed: numFailedTests + numRuntimeErrorTestSuites,
  skipped: numPendingTests,
});

/**
 * A suite that fails before its tests counts as one failure. Updates the file `TIDINGS_TALLY`, running suites included; else prints `N passed, N
 * failed` last.
 */
export default class TallyReporter {
  #file = process.env.TIDINGS_TALLY;
  #running = new Set();
  #tally = { passed: 0, failed: 0, skipped: 0 };
  #failures = {};

  onTestFileStart({ path }) {
    this.#running.add(path);
    this.#write();
  }

  onTestCaseResult() {
    this.#write();
  }

  onTestFileResult({ path }, result, results) {
    this.#running.delete(path);
    const { numPassingTests: passed, numPendingTests: skipped, numFailingTests, testExecError } = result;
    const failed = numFailingTests || Number(Boolean(testExecError));
    if (failed > 0) this.#failures[path] = { passed, failed, skipped };
    this.#tally = tallyOf(results);
    this.#write();
  }

  onRunComplete(_contexts, results) {
    this.#tally = tallyOf(results);
    this.#write();
    if (this.#file) return;
    // On exit, because Jest prints its own summary after calling the reporters.
    process.on('exit', () => {
      const { passed, failed, skipped } = this.#tally;
      if (skipped > 0) console.log(`${skipped} SKIPPED: this machine has not all that these tests need`);
      console.log(`${passed} passed, ${failed} failed`);
    });
  }

  #write() {
    if (this.#file)
      writeFileSync(
        this.#file,
        JSON.stringify({ ...this.#tally, running: [...this.#running], failures: this.#failures }),
      );
  }
}
