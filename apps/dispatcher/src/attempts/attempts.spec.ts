import { attemptStoreFeatures } from './attempts.features.ts';
import { MemoryAttempts } from '../testing/memory-store.ts';

attemptStoreFeatures('in memory', async () => new MemoryAttempts().over());
