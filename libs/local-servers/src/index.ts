export { canRunKafka, KAFKA_VERSION } from './kafka-jars.ts';
export { type LocalKafka, type LocalKafkaOptions, startLocalKafka, startLocalKafkas } from './local-kafka.ts';
export { type LocalMember, type LocalReplicaSet, startLocalReplicaSet } from './local-replica-set.ts';
export { type Mongod, startMongod } from './mongod.ts';
export { findMongod } from './mongod-process.ts';
export { type Mongo, openMongo } from './open-mongo.ts';
