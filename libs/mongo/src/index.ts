export { connectMongo } from './connect.ts';
export { databaseOf, databasePrefixOf } from './databases.ts';
export { DUPLICATE_KEY, isDuplicateKey } from './duplicate-key.ts';
export { freeBytes } from './free-bytes.ts';
export { inDays } from './in-days.ts';
export {
  Lease,
  openLease,
  releaseAll,
  removeLeases,
  type Reservation,
  reserve,
  type TakenLease,
} from './mongo-lease.ts';
export { connectionTo } from './models/connection.ts';
export { createCollections, ensureCollections } from './models/create-collections.ts';
export {
  asBuffer,
  bytes,
  bytesOf,
  date,
  type Field,
  type Fields,
  flag,
  list,
  mixed,
  number,
  object,
  oneOf,
  optional,
  pairs,
  record,
  text,
} from './models/fields.ts';
export { collectionOf, defineModel, type Index, type ModelDefinition, modelOf } from './models/model.ts';
export { invalidDocuments } from './models/validate.ts';
export { mongoOptions } from './mongo-options.ts';
export { behind, type Order, type Page, readPage, sortOf } from './pages.ts';
export { findAll, type FindOptions, tryUpdates, type Update, updateAll } from './plain-commands.ts';
export { dueFilter } from './due-filter.ts';
export { type Presence, type PresenceDocument, presenceFields, presenceIn } from './presence.ts';
export { leaseReplica, type Replica } from './replica-lease.ts';
export { replicaMetrics } from './replica-metrics.ts';
export { type LeaseDocument, leasesModel, processIdentity } from './storage/leases.schema.ts';
export { newMongoClient, redactedMongoUrl, tryReplicaSet } from './replica-set.ts';
export {
  faultOf,
  isDriverError,
  isTransient,
  isTransientAnswer,
  transientAsFault,
  UnknownOutcome,
} from './transient.ts';
