export { connectMongo } from './connect.ts';
export { databaseOf, databasePrefixOf } from './databases.ts';
export { inDays, type KeptCollection } from './kept-collection.ts';
export { Lease, removeLeases } from './mongo-lease.ts';
export { mongoOptions } from './mongo-options.ts';
export { leaseReplica, type Replica, type ReplicaOptions } from './replica-lease.ts';
export { newMongoClient, shownMongoUrl, tryReplicaSet } from './replica-set.ts';
export { faultOf, isTransient, isTransientCode, transientAsFault, UnknownOutcome } from './transient.ts';
