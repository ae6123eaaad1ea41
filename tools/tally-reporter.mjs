/** Prints `N passed, N failed` as the last line of a run; a suite that broke before its tests counts as one failure. */
export default class TallyReporter {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests }) {
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    // On exit, because Jest's own summary comes after the reporters have been asked.
    process.on('exit', () => {
      if (numPendingTests > 0) console.log(`${numPendingTests} SKIPPED: a server that these tests need is missing`);
      console.log(`${numPassedTests} passed, ${failed} failed`);
    });
  }
}
