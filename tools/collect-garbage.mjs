// Loaded into every process of a run that measures memory (NODE_OPTIONS): SIGUSR2 collects all garbage, so that the heap is what is in use.
process.on('SIGUSR2', () => globalThis.gc());
