import { describe, expect, it } from '@jest/globals';
import { channels } from '@tidings/kernel';
import { readServiceEnv } from './service-configuration.ts';

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
});
