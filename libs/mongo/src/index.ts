export { connectMongo } from './connect.ts';
export { databaseOf, databasePrefixOf } from './databases.ts';
export { inDays, type KeptCollection } from './kept-collection.ts';
export { Lease, type LeaseOptions, removeLeases, type Reservation, reserve } from './mongo-lease.ts';
export { mongoOptions } from './mongo-options.ts';
export { type Presence, type PresenceDocument, presenceIn } from './presence.ts';
export { leaseReplica, type Replica, type ReplicaOptions } from './replica-lease.ts';
export { newMongoClient, shownMongoUrl, tryReplicaSet } from './replica-set.ts';
export { faultOf, isTransient, isTransientCode, transientAsFault, UnknownOutcome } from './transient.ts';
