export { canRunKafka, KAFKA_VERSION } from './kafka-jars.ts';
export { type LocalKafka, startLocalKafka, startLocalKafkas } from './local-kafka.ts';
export { type LocalReplicaSet, startLocalReplicaSet } from './local-replica-set.ts';
export { canRunJars, mavenJars, type MavenProgram } from './maven-jars.ts';
export { type Mongod, startMongod } from './mongod.ts';
export { findMongod } from './mongod-program.ts';
export { openMongo } from './open-mongo.ts';
