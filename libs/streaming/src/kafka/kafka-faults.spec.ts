import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import { faultOf, settingAtFault } from './kafka-faults.ts';

const { errorCodes, createErrorFromCode } = createRequire(import.meta.url)('kafkajs/src/protocol/error') as {
  readonly errorCodes: readonly { readonly type: string; readonly code: number }[];
  readonly createErrorFromCode: (code: number) => Error;
};

const answer = (type: string): Error => createErrorFromCode(errorCodes.find((each) => each.type === type)!.code);

describe('the Fault of an answer of Kafka', () => {
  it.each([
    ...['UNKNOWN', 'BROKER_NOT_AVAILABLE', 'NOT_LEADER_FOR_PARTITION', 'SASL_AUTHENTICATION_FAILED'],
    ...['KAFKA_STORAGE_ERROR', 'LOG_DIR_NOT_FOUND', 'REPLICA_NOT_AVAILABLE', 'LEADER_NOT_AVAILABLE'],
    ...['TOPIC_AUTHORIZATION_FAILED', 'CLUSTER_AUTHORIZATION_FAILED', 'GROUP_AUTHORIZATION_FAILED'],
  ])('is unavailable for %s, which no record causes', (type) => {
    expect(faultOf(answer(type)).kind).toBe('unavailable');
  });

  it('is unavailable for a code that kafkajs does not know', () => {
    expect(faultOf(createErrorFromCode(9_999)).kind).toBe('unavailable');
  });

  it('names the error for the log, also after retries', () => {
    const exceeded = new kafkajs.KafkaJSNumberOfRetriesExceeded(answer('TOPIC_AUTHORIZATION_FAILED'), {
      retryCount: 2,
      retryTime: 100,
    });
    expect(faultOf(exceeded)).toMatchObject({
      kind: 'unavailable',
      internal: 'Kafka refuses: TOPIC_AUTHORIZATION_FAILED',
      cause: exceeded,
    });
  });

  it.each([
    [['TOPIC_ALREADY_EXISTS', 'CLUSTER_AUTHORIZATION_FAILED'], 'unavailable'],
    [['INVALID_REPLICATION_FACTOR'], 'unavailable'],
    [['NOT_CONTROLLER', 'INVALID_CONFIG'], 'bug'],
  ])('is derived from several topics: for %j it is %s', (types, kind) => {
    const error = new kafkajs.KafkaJSAggregateError('Topic creation errors', types.map(answer));
    expect(faultOf(error).kind).toBe(kind);
  });

  it('names the setting of a mechanism that Kafka does not have', () => {
    expect(settingAtFault(answer('UNSUPPORTED_SASL_MECHANISM'))?.message).toMatch(/^KAFKA_SASL_MECHANISM: /);
  });

  it.each(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE'])('is tooLarge for %s', (type) => {
    expect(faultOf(answer(type)).kind).toBe('tooLarge');
  });

  it.each(['INVALID_RECORD', 'INVALID_TIMESTAMP', 'POLICY_VIOLATION', 'INVALID_TOPIC_EXCEPTION'])(
    'is a bug for %s',
    (type) => {
      expect(faultOf(answer(type))).toMatchObject({ kind: 'bug', internal: `Kafka refuses: ${type}` });
    },
  );
});
