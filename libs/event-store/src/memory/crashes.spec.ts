import { describe } from '@jest/globals';
import { survivesCrashes } from '../crashes.features.ts';
import { things } from '../things.features.ts';
import { MemoryLogStore } from './memory-logs.ts';
import { MemoryStore } from './memory-store.ts';

describe('event logs in memory', () => {
  survivesCrashes(() => {
    const store = new MemoryStore();
    return {
      open: () => new MemoryLogStore(store, things),
      document: async (address) => store.document(address),
      events: async (log) => store.commits(log),
    };
  }, 40);
});
