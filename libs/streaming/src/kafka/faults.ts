import { Fault } from '@tidings/kernel';
import kafkajs from 'kafkajs';

const TOO_LARGE: ReadonlySet<string> = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);

/** What went wrong with Kafka: `unavailable` unless a broker has understood the request and refuses it. */
export function faultOf(error: unknown): Fault {
  if (!(error instanceof kafkajs.KafkaJSError)) return Fault.from(error);
  const verdict = verdictIn(error);
  if (!verdict) return Fault.unavailable('Kafka does not answer', error);
  if (TOO_LARGE.has(verdict.type))
    return new Fault('tooLarge', 'A record is larger than its topic allows', { cause: error });
  return Fault.bug(`Kafka refuses: ${verdict.type}`, error);
}

/** The broker's answer that ended it, unless another try may have another answer. */
function verdictIn(error: unknown): kafkajs.KafkaJSProtocolError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof kafkajs.KafkaJSProtocolError) return cause.retriable ? undefined : cause;
  }
  return undefined;
}
