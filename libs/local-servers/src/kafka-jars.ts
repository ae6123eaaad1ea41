import { fileURLToPath } from 'node:url';
import { canRunJars, mavenJars, type MavenProgram } from './maven-jars.ts';

export const KAFKA_VERSION = '4.1.0';

const pom = fileURLToPath(new URL('../../../deploy/kafka-local/pom.xml', import.meta.url));

const kafka = (version: string): MavenProgram => ({
  name: `kafka-${version}`,
  pom,
  options: [`-Dkafka.version=${version}`],
});

export const canRunKafka = (version = KAFKA_VERSION): boolean => canRunJars(kafka(version));

export const kafkaJars = (version: string): Promise<string> => mavenJars(kafka(version));
