import { Fault } from '@tidings/kernel';
import { certificateFault } from '@tidings/runtime';
import kafkajs from 'kafkajs';

const TOO_LARGE: ReadonlySet<string> = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);

/** The Fault of a Kafka error: `unavailable` unless a broker has understood the request and refuses it. */
export function faultOf(error: unknown): Fault {
  if (!(error instanceof kafkajs.KafkaJSError)) return Fault.from(error);
  const refusal = protocolErrorIn(error);
  if (!refusal) return Fault.unavailable('Kafka does not answer', error);
  if (TOO_LARGE.has(refusal.type))
    return new Fault('tooLarge', 'A record is larger than its topic allows', { cause: error });
  return Fault.bug(`Kafka refuses: ${refusal.type}`, error);
}

/** The setting that makes Kafka refuse access, as a Fault `argument`; undefined for other, possibly transient errors. */
export function settingAtFault(error: unknown): Fault | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof kafkajs.KafkaJSSASLAuthenticationError)
      return Fault.argument('KAFKA_SASL_PASSWORD: Kafka refuses this user with this password and mechanism');
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
