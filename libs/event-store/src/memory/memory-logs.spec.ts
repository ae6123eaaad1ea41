import { eventStoreFeatures } from '../event-store.features.ts';
import { openMemoryLogs } from './memory-logs.ts';
import { MemoryStore } from './memory-store.ts';

eventStoreFeatures('memory', async () => {
  const store = new MemoryStore();
  return {
    open: (definition, options) => openMemoryLogs(definition, { ...options, store }),
    document: async (address) => store.document(address),
    commits: async (log) => store.commits(log),
    close: async () => {},
  };
});
