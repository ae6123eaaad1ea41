export { findMongod, type Mongod, mongoOptions, startMongod } from './mongod.ts';
export type { ServiceDeps } from './service.ts';
