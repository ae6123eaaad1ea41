import type { MongoClientOptions } from 'mongodb';
import './mended-driver.ts';

/** Options that every connection to MongoDB shares: acknowledged means journaled on a majority (reliability 1). */
export const mongoOptions: MongoClientOptions = {
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'local' },
  ignoreUndefined: true,
  maxPoolSize: 32,
  serverSelectionTimeoutMS: 10_000,
};
