import '@tidings/patches/mongodb';
import type { MongoClientOptions } from 'mongodb';

/** Acknowledged means journaled on a majority. */
export const mongoOptions: MongoClientOptions = {
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'local' },
  ignoreUndefined: true,
  maxPoolSize: 32,
  serverSelectionTimeoutMS: 10_000,
  heartbeatFrequencyMS: 2_000,
  // Also how long operations wait for a silent server.
  connectTimeoutMS: 10_000,
};
