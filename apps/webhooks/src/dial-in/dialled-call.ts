import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { WebhookResponse } from '@tidings/rpc';
import type { OutgoingEvent } from '../events/outgoing-event.ts';
import { type Link, type LinkListener, reportAnswer } from '../streams/links/link-port.ts';
import { ANSWER_MS } from '../streams/unacked.ts';
import type { Credentials } from './admission.ts';
import type { Refusal } from './refusals.ts';

const MAX_BUFFERED = 200;

export interface DialledCall extends Credentials {
  readonly isOver: boolean;
  link(listener: LinkListener): Link;
  end(refusal?: Refusal): void;
}

export function dialledCall(call: ServerDuplexStream<WebhookResponse, OutgoingEvent>, accept: () => void): DialledCall {
  const textOf = (name: string): string | undefined => call.metadata.get(name)[0]?.toString();
  let listener: LinkListener | undefined;
  let isOver = false;
  let isEnded = false;
  let isWritable = true;
  const over = (error: Error): void => {
    if (isOver) return;
    isOver = true;
    const last = listener;
    listener = undefined;
    last?.broken(error);
  };
  call.on('cancelled', () => over(new Error('the consumer has hung up')));
  call.on('end', () => over(new Error('the consumer has ended its side')));
  call.on('error', over);
  call.on('data', (response: WebhookResponse) => listener && reportAnswer(listener, response));
  call.pause();
  call.on('drain', () => {
    isWritable = true;
    listener?.drained();
  });
  return {
    authorization: textOf('authorization'),
    subscription: textOf('subscription'),
    get isOver() {
      return isOver;
    },
    link(onWritable) {
      if (isOver) throw new Error('the consumer has hung up');
      listener = onWritable;
      accept();
      call.resume();
      return {
        answerMs: ANSWER_MS,
        get isWritable() {
          return listener === onWritable && isWritable;
        },
        send(event) {
          // The stream's own high-water mark would cost a turn of the event loop for every 16 events.
          if (listener === onWritable) isWritable = call.write(event) || call.writableLength < MAX_BUFFERED;
        },
        close() {
          if (listener === onWritable) listener = undefined;
        },
      };
    },
    end(refusal) {
      if (isEnded || call.cancelled) return;
      isEnded = true;
      listener = undefined;
      if (refusal) call.emit('error', { code: refusal.code, details: refusal.message });
      else call.end();
    },
  };
}
