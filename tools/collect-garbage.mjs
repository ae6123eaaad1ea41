// Loaded by NODE_OPTIONS where memory is measured: SIGUSR2 collects all garbage.
process.on('SIGUSR2', () => globalThis.gc());
