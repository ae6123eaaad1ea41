import { Fault } from '@tidings/kernel';
import { certificateFault } from '@tidings/runtime';
import kafkajs from 'kafkajs';

const TOO_LARGE: ReadonlySet<string> = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);
/** Errors of the content of a request. All others end when a broker, its permissions or its version change. */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['INVALID_RECORD', 'INVALID_TIMESTAMP', 'UNSUPPORTED_FOR_MESSAGE_FORMAT'],
  ...['POLICY_VIOLATION', 'INVALID_TOPIC_EXCEPTION', 'INVALID_CONFIG'],
]);

const OTHER_MECHANISM: ReadonlySet<string> = new Set(['UNSUPPORTED_SASL_MECHANISM', 'ILLEGAL_SASL_STATE']);

/**
 * The Fault of a Kafka error: `unavailable` unless a broker refuses what the request contains. Callers give records up after other Faults, so a lack
 * of permissions, an error inside a broker and an unknown error are `unavailable`, too.
 */
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

/** The error of a request about several topics: a refusal, if there is one. */
function decisiveIn({ errors, message }: kafkajs.KafkaJSAggregateError): Error {
  const answers = errors.filter((each) => each instanceof kafkajs.KafkaJSProtocolError);
  return answers.find(({ type }) => REFUSALS.has(type)) ?? answers[0] ?? new Error(message);
}

/** The setting that makes Kafka refuse access, as a Fault `argument`; undefined for other, possibly transient errors. */
export function settingAtFault(error: unknown): Fault | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof kafkajs.KafkaJSSASLAuthenticationError)
      return Fault.argument('KAFKA_SASL_PASSWORD: Kafka refuses this user with this password and mechanism');
    if (cause instanceof kafkajs.KafkaJSProtocolError && OTHER_MECHANISM.has(cause.type))
      return Fault.argument('KAFKA_SASL_MECHANISM: Kafka refuses this mechanism');
    if (cause instanceof kafkajs.KafkaJSConnectionError) {
      // Its types lack it.
      const { code = '' } = cause as { readonly code?: string };
      if (certificateFault(code))
        return Fault.argument(`KAFKA_SSL_CA: the certificate of ${cause.broker} is refused: ${code}`);
    }
  }
  return undefined;
}

/** The broker's final error answer, unless another try may have another result. */
function protocolErrorIn(error: unknown): kafkajs.KafkaJSProtocolError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof kafkajs.KafkaJSProtocolError) return cause.retriable ? undefined : cause;
  }
  return undefined;
}
