import { describe, expect, it } from '@jest/globals';
import { channels } from '@tidings/kernel';
import { readServiceEnv } from './service-configuration.ts';
import { services } from './services.ts';

const enough = {
  MONGO_URL: 'mongodb://a:1/?replicaSet=rs',
  KAFKA_BROKERS: 'a:9092',
  TIDINGS_MASTER_KEY: Buffer.alloc(32).toString('base64'),
};
const required = ['MONGO_URL', 'KAFKA_BROKERS', 'TIDINGS_MASTER_KEY'] as const;

const linesOf = (read: () => unknown): string[] => {
  try {
    read();
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
};

describe('readServiceEnv', () => {
  it('has defaults that fit a compose file or a chart', () => {
    const configuration = readServiceEnv({ required, peers: ['registry', 'dispatcher'] }, enough);
    expect(configuration).toMatchObject({
      grpcPort: 9090,
      mongoUrl: 'mongodb://a:1/?replicaSet=rs',
      kafkaBrokers: ['a:9092'],
      masterKey: Buffer.alloc(32),
      addresses: { registry: 'registry:9090', dispatcher: 'dispatcher:9090' },
    });
  });

  it('reads only the variables that the service needs', () => {
    const env = {
      ...enough,
      GRPC_PORT: '0',
      TIDINGS_CHANNEL: 'fcm, hms',
      REGISTRY_ADDRESS: '10.0.0.1:1, registry-2.local:2,[fd00::7]:3',
      SCHEDULER_ADDRESS: 'wrong',
    };
    const {
      channels: chosen,
      grpcPort,
      addresses,
    } = readServiceEnv({ required: ['TIDINGS_CHANNEL'], peers: ['registry'] }, env);
    expect({ chosen, grpcPort }).toEqual({ chosen: ['fcm', 'hms'], grpcPort: 0 });
    expect(addresses).toEqual({ registry: '10.0.0.1:1,registry-2.local:2,[fd00::7]:3' });
  });

  it.each([',', 'fcm, pigeon', 'fcm, fcm'])('refuses the channels "%s"', (text) => {
    const env = { ...enough, TIDINGS_CHANNEL: text };
    const lines = linesOf(() => readServiceEnv({ required: ['TIDINGS_CHANNEL'], peers: [] }, env));
    expect(lines).toEqual([expect.stringMatching(/^TIDINGS_CHANNEL: must (be one of|name each channel once)/)]);
  });

  it('reports each missing or invalid variable in a line', () => {
    const env = { MONGO_URL: ' ', KAFKA_BROKERS: 'broker', TIDINGS_CHANNEL: 'pigeon', GATEWAY_ADDRESS: 'gateway' };
    const lines = linesOf(() =>
      readServiceEnv({ required: [...required, 'TIDINGS_CHANNEL', 'TIDINGS_ADMIN_TOKEN'], peers: ['gateway'] }, env),
    );
    expect(lines.sort()).toEqual([
      'GATEWAY_ADDRESS: must be host:port[,host:port…]',
      'KAFKA_BROKERS: must be host:port,host:port,…',
      'MONGO_URL: is required',
      'TIDINGS_ADMIN_TOKEN: is required',
      `TIDINGS_CHANNEL: must be one of ${channels.join(', ')}, or several with commas`,
      'TIDINGS_MASTER_KEY: is required',
    ]);
  });

  describe('for several services in one process', () => {
    const together = ['registry', 'scheduler'] as const;
    const addressesIn = (env: NodeJS.ProcessEnv) =>
      readServiceEnv({ required, peers: ['registry', 'dispatcher'], together }, { ...enough, ...env }).addresses;

    it('has the address of the process for its own services, unless another is set', () => {
      expect(addressesIn({})).toEqual({ registry: '127.0.0.1:9090', dispatcher: 'dispatcher:9090' });
      expect(addressesIn({ HOST: '0.0.0.0', GRPC_PORT: '7000' })).toMatchObject({ registry: '127.0.0.1:7000' });
      expect(addressesIn({ HOST: 'fd00::7' })).toMatchObject({ registry: '[fd00::7]:9090' });
      expect(addressesIn({ REGISTRY_ADDRESS: 'other:1' })).toMatchObject({ registry: 'other:1' });
    });

    it('requires their addresses if the port is any free one', () => {
      expect(linesOf(() => addressesIn({ GRPC_PORT: '0' }))).toEqual([
        'REGISTRY_ADDRESS: is required where GRPC_PORT is 0',
      ]);
      expect(addressesIn({ GRPC_PORT: '0', REGISTRY_ADDRESS: 'other:1' })).toMatchObject({ registry: 'other:1' });
    });
  });

  it('reads the services of a process', () => {
    const servicesIn = (text: string) =>
      readServiceEnv({ required, peers: [] }, { ...enough, TIDINGS_SERVICES: text }).services;
    expect(servicesIn('registry, audience-jobs')).toEqual(['registry', 'audience-jobs']);
    expect(servicesIn(' ')).toBeUndefined();
  });

  it.each([',', 'registry,', 'registry, pigeon', 'Registry', 'registry, registry'])(
    'refuses the services "%s"',
    (text) => {
      const lines = linesOf(() => readServiceEnv({ required, peers: [] }, { ...enough, TIDINGS_SERVICES: text }));
      expect(lines).toEqual([
        text === 'registry, registry'
          ? 'TIDINGS_SERVICES: must name each service once'
          : `TIDINGS_SERVICES: must be of ${Object.keys(services).join(', ')}, with commas`,
      ]);
    },
  );
});
