import type { X509Certificate } from 'node:crypto';
import { channelNames } from '@tidings/channels';
import { topics } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { databaseOf, databasePrefixOf, newMongoClient, tryReplicaSet } from '@tidings/mongo';
import type { Db } from 'mongodb';
import {
  backendNames,
  certificatesIn,
  checkMasterKeys,
  type Configuration,
  masterKeysOf,
  openLog,
  pemOf,
  readGeoip,
  type ServiceDatabase,
  services,
  systemDatabase,
} from '@tidings/runtime';
import { kafkaOptions } from '@tidings/service';
import { compareTopics, type TopicChanges } from '@tidings/streaming';
import { QUARANTINE_REMEDY, skewed } from './api-checks.ts';
import { type Finding, problem, warning } from './finding.ts';

const DAY_MS = 86_400_000;
const EXPIRES_SOON_DAYS = 30;
const SKEW_MS = 2_000;
const GEOIP_OLD_DAYS = 45;

const certificateVariables = ['GRPC_TLS_CERT', 'GRPC_TLS_CA', 'KAFKA_SSL_CERT', 'KAFKA_SSL_CA', 'TIDINGS_EXTRA_CA'];

export function checkCertificates(env: NodeJS.ProcessEnv, now = Date.now()): Finding[] {
  return certificateVariables.flatMap((variable) => {
    const value = env[variable];
    if (!value) return [];
    try {
      return certificatesIn(pemOf(value)).flatMap((certificate) => validity(variable, certificate, now));
    } catch (error) {
      return [problem(`${variable}: ${(error as Error).message}.`, 'Give a PEM file that this user can read.')];
    }
  });
}

function validity(variable: string, { subject, validTo, validFrom }: X509Certificate, now: number): Finding[] {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  const certificateName = `${variable}: the certificate of ${subject.replaceAll('\n', ', ')}`;
  const renew = 'Renew the certificate, and restart the processes that read it.';
  if (to < now) return [problem(`${certificateName} expired on ${validTo}.`, renew)];
  if (from > now)
    return [problem(`${certificateName} is not valid before ${validFrom}.`, 'Check the clock of this machine.')];
  return to < now + EXPIRES_SOON_DAYS * DAY_MS ? [warning(`${certificateName} expires on ${validTo}.`, renew)] : [];
}

export async function checkGeoip({ geoipDatabase: file }: Configuration, now = Date.now()): Promise<Finding[]> {
  if (file === undefined) return [];
  try {
    const { builtAt } = await readGeoip(file);
    const days = Math.floor((now - builtAt) / DAY_MS);
    if (days <= GEOIP_OLD_DAYS) return [];
    const remedy = 'Install a newer file in its place: gateways read it without a restart.';
    return [warning(`The geo-IP database ${file} was built ${days} days ago.`, remedy)];
  } catch (error) {
    const remedy =
      'Give the path of a database in the format of MaxMind (.mmdb) that this user can read in GEOIP_DATABASE.';
    return [problem(`The geo-IP database ${file} cannot be used: ${(error as Error).message}.`, remedy)];
  }
}

export async function checkStore({ mongoUrl, ...keys }: Configuration): Promise<Finding[]> {
  if (mongoUrl === undefined) return [];
  try {
    await tryReplicaSet(mongoUrl);
  } catch (error) {
    return [
      problem(
        `${Fault.from(error).message}.`,
        'Start MongoDB 4.0 or newer as a replica set, initiate it, and give its address with user and password in MONGO_URL.',
      ),
    ];
  }
  const client = newMongoClient(mongoUrl);
  try {
    const startedAt = Date.now();
    const { localTime } = (await client.db('admin').command({ isMaster: 1 })) as { localTime: Date };
    const ahead = localTime.getTime() - (startedAt + Date.now()) / 2;
    const clock = Math.abs(ahead) < SKEW_MS ? [] : [skewed('MongoDB', ahead)];
    const prefix = databasePrefixOf(mongoUrl);
    return [
      ...clock,
      ...(await checkKeys(systemDatabase(client, prefix), keys)),
      ...(await checkQuarantine((name) => databaseOf(client, name, prefix))),
    ];
  } finally {
    await client.close();
  }
}

async function checkQuarantine(open: (name: ServiceDatabase) => Db): Promise<Finding[]> {
  const databases = [...new Set(backendNames.map((name) => services[name].database))].map(open);
  const found = await Promise.all(
    databases.map(async (db) => {
      const listed = await db.listCollections({ name: /\.quarantine$/ }, { nameOnly: true }).toArray();
      return Promise.all(
        listed.map(async ({ name }) => {
          const count = await db.collection(name).countDocuments();
          return { name: `${db.databaseName}.${name}`, count };
        }),
      );
    }),
  );
  const some = found.flat().filter(({ count }) => count > 0);
  if (some.length === 0) return [];
  const text = `Documents stand still: ${some.map(({ name, count }) => `${count} in ${name}`).join(', ')}.`;
  return [problem(text, QUARANTINE_REMEDY)];
}

async function checkKeys(
  system: Parameters<typeof checkMasterKeys>[0],
  { masterKey, previousMasterKey }: Pick<Configuration, 'masterKey' | 'previousMasterKey'>,
): Promise<Finding[]> {
  if (!masterKey) return [];
  try {
    await checkMasterKeys(system, masterKeysOf(masterKey, previousMasterKey));
    return [];
  } catch (error) {
    return [
      problem(
        `${Fault.from(error).message}.`,
        'Give every process the key that the data was written with. Without it stored credentials cannot be read, and have to be configured again.',
      ),
    ];
  }
}

function copiesFindings({ copies, otherCopies, fragile }: TopicChanges): Finding[] {
  const others = warning(
    `Topics have another number of copies than ${copies}, which new ones get: ${otherCopies.join(', ')}.`,
    'Give them as many by `kafka-reassign-partitions.sh`, or set KAFKA_REPLICATION_FACTOR to the number that they are to have.',
  );
  const strict = warning(
    `Topics take no records while one of their brokers is away: ${fragile.join(', ')}.`,
    'Set their min.insync.replicas to less than their copies by `kafka-configs.sh`, or give them more copies.',
  );
  return [...(otherCopies.length > 0 ? [others] : []), ...(fragile.length > 0 ? [strict] : [])];
}

export async function checkTopics(configuration: Configuration): Promise<Finding[]> {
  const { kafkaBrokers } = configuration;
  if (kafkaBrokers.length === 0) return [];
  const make =
    'Run `apps/platform/dist/topics.js` with the variables of the services: it creates and adjusts topics, and is safe to repeat.';
  try {
    const changes = await compareTopics({
      ...kafkaOptions({ name: 'doctor', configuration, log: openLog('silent') }),
      topics: topics(channelNames()),
    });
    const { created: missing, altered } = changes;
    return [
      ...(missing.length > 0 ? [problem(`Kafka lacks the topics ${missing.join(', ')}.`, make)] : []),
      ...(altered.length > 0
        ? [problem(`Topics have other settings than they should: ${altered.join(', ')}.`, make)]
        : []),
      ...copiesFindings(changes),
    ];
  } catch (error) {
    const { kind, message } = Fault.from(error);
    if (kind === 'conflict') {
      return [
        problem(
          `${message}.`,
          'Create the topics anew under another KAFKA_NAMESPACE, and let the old ones drain first.',
        ),
      ];
    }
    return [
      problem(
        `Kafka at ${kafkaBrokers.join(', ')} cannot be used: ${message}.`,
        'Check KAFKA_BROKERS, the KAFKA_SSL… and KAFKA_SASL… variables, and that the advertised addresses of the brokers can be reached from here.',
      ),
    ];
  }
}
