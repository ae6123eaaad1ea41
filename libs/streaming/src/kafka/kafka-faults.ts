import { Fault } from '@tidings/kernel';
import { certificateFault } from '@tidings/runtime';
import kafkajs from 'kafkajs';

const TOO_LARGE: ReadonlySet<string> = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);
const REFUSALS: ReadonlySet<string> = new Set([
  ...['INVALID_RECORD', 'INVALID_TIMESTAMP', 'UNSUPPORTED_FOR_MESSAGE_FORMAT'],
  ...['POLICY_VIOLATION', 'INVALID_TOPIC_EXCEPTION', 'INVALID_CONFIG'],
]);

const OTHER_MECHANISM: ReadonlySet<string> = new Set(['UNSUPPORTED_SASL_MECHANISM', 'ILLEGAL_SASL_STATE']);

/** `unavailable` unless content is refused: after other faults callers give up. */
export function faultOf(error: unknown): Fault {
  if (error instanceof kafkajs.KafkaJSAggregateError) return faultOf(decisiveIn(error));
  if (!(error instanceof kafkajs.KafkaJSError)) return Fault.from(error);
  const answer = protocolErrorIn(error);
  if (!answer) return Fault.unavailable('Kafka does not answer', error);
  if (TOO_LARGE.has(answer.type))
    return new Fault('tooLarge', 'A record is larger than its topic allows', { cause: error });
  const internal = `Kafka refuses: ${answer.type}`;
  if (REFUSALS.has(answer.type)) return Fault.bug(internal, error);
  return new Fault('unavailable', 'Kafka refuses requests', { internal, cause: error });
}

function decisiveIn({ errors, message }: kafkajs.KafkaJSAggregateError): Error {
  const answers = errors.filter((each) => each instanceof kafkajs.KafkaJSProtocolError);
  return answers.find(({ type }) => REFUSALS.has(type)) ?? answers[0] ?? new Error(message);
}

export function settingAtFault(error: unknown): Fault | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof kafkajs.KafkaJSSASLAuthenticationError)
      return Fault.argument('KAFKA_SASL_PASSWORD: Kafka refuses this user with this password and mechanism');
    if (cause instanceof kafkajs.KafkaJSProtocolError && OTHER_MECHANISM.has(cause.type))
      return Fault.argument('KAFKA_SASL_MECHANISM: Kafka refuses this mechanism');
    if (cause instanceof kafkajs.KafkaJSConnectionError) {
      const { code = '' } = cause as { readonly code?: string };
      if (certificateFault(code))
        return Fault.argument(`KAFKA_SSL_CA: the certificate of ${cause.broker} is refused: ${code}`);
    }
  }
  return undefined;
}

function protocolErrorIn(error: unknown): kafkajs.KafkaJSProtocolError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof kafkajs.KafkaJSProtocolError) return cause.retriable ? undefined : cause;
  }
  return undefined;
}
