import type { ApiClient } from '@tidings/client';
import { Fault } from '@tidings/kernel';
import { type Configuration, readEnv } from '@tidings/runtime';
import {
  checkAdministrator,
  checkClock,
  checkDeadLetters,
  checkDeletions,
  checkOpenAccess,
  checkProviders,
  checkPublicUrl,
  checkReadiness,
  checkSubscriptions,
  failureOf,
  UNREACHABLE,
} from './api-checks.ts';
import { checkCertificates, checkGeoip, checkStore, checkTopics } from './environment-checks.ts';
import { type Checked, type Finding, problem } from './finding.ts';

export interface Deployment {
  readonly client: ApiClient;
  readonly url: string;
  readonly hasAdminToken: boolean;
  readonly env: NodeJS.ProcessEnv;
}

type Check = readonly [name: string, make: () => Promise<readonly Finding[]> | readonly Finding[]];

async function made([check, make]: Check): Promise<Checked> {
  try {
    return { check, findings: await make() };
  } catch (error) {
    return {
      check,
      findings: [problem(`It cannot be checked: ${failureOf(error)}.`, 'Mend what the other findings say first.')],
    };
  }
}

const skipped = (checks: readonly Check[], why: string): Checked[] =>
  checks.map(([check]) => ({ check, findings: [], skipped: why }));

/** Changes nothing. */
export async function examine({ client, url, hasAdminToken, env }: Deployment): Promise<Checked[]> {
  const readiness = await made(['gateway', () => checkReadiness(client, url)]);
  const open: Check[] = [
    ['clock', () => checkClock(client)],
    ['public address', () => checkPublicUrl(client)],
  ];
  const administrator: Check = ['administrator token', () => checkAdministrator(client)];
  const operated: Check[] = [
    ['providers', () => checkProviders(client)],
    ['dead letters', () => checkDeadLetters(client)],
    ['subscriptions', () => checkSubscriptions(client)],
    ['deletions', () => checkDeletions(client)],
    ['access without a token', () => checkOpenAccess(client)],
  ];
  const answers = !readiness.findings.some(({ text }) => text.startsWith(UNREACHABLE));
  const ofApi = async (): Promise<Checked[]> => {
    if (!answers) return skipped([...open, administrator, ...operated], 'the gateway does not answer');
    const first = await Promise.all(open.map(made));
    if (!hasAdminToken) return [...first, ...skipped([administrator, ...operated], 'no administrator token is given')];
    const token = await made(administrator);
    const rest =
      token.findings.length > 0 ? skipped(operated, 'the token is refused') : await Promise.all(operated.map(made));
    return [...first, token, ...rest];
  };
  return [readiness, ...(await ofApi()), ...(await checksOfEnvironment(env))];
}

async function checksOfEnvironment(env: NodeJS.ProcessEnv): Promise<Checked[]> {
  const ofStores = (configuration: Configuration): Check[] => [
    ['MongoDB and master key', () => checkStore(configuration)],
    ['Kafka and topics', () => checkTopics(configuration)],
    ['geo-IP database', () => checkGeoip(configuration)],
  ];
  const certificates = await made(['certificates', () => checkCertificates(env)]);
  let configuration: Configuration;
  try {
    configuration = readEnv(env);
  } catch (error) {
    const findings = Fault.from(error)
      .message.split('\n')
      .map((line) => problem(line, 'docs/configuration.md lists every variable with its values.'));
    return [{ check: 'configuration', findings }, certificates];
  }
  const [store, kafka, geoip] = ofStores(configuration);
  const { mongoUrl, kafkaBrokers, geoipDatabase } = configuration;
  return [
    { check: 'configuration', findings: [] },
    certificates,
    ...(mongoUrl === undefined ? skipped([store!], 'MONGO_URL is not set') : [await made(store!)]),
    ...(kafkaBrokers.length === 0 ? skipped([kafka!], 'KAFKA_BROKERS is not set') : [await made(kafka!)]),
    ...(geoipDatabase === undefined ? skipped([geoip!], 'GEOIP_DATABASE is not set') : [await made(geoip!)]),
  ];
}
