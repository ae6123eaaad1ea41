import '@tidings/patches/mongodb';
import type { MongoClientOptions } from 'mongodb';

/** Options that every connection to MongoDB shares: acknowledged means journaled on a majority (reliability 1). */
export const mongoOptions: MongoClientOptions = {
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'local' },
  ignoreUndefined: true,
  maxPoolSize: 32,
  serverSelectionTimeoutMS: 10_000,
  // A primary that is silent, and closes no connection, is replaced when another member names the new one.
  heartbeatFrequencyMS: 2_000,
  // Operations that wait for a silent server fail when it has not answered a heartbeat for this long.
  connectTimeoutMS: 10_000,
};
