import {
  type Metadata,
  ResponderBuilder,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from '@grpc/grpc-js';
import { Fault } from '@tidings/kernel';
import { currentTrace, histogramIn, inSpan, isTracing, traceOf } from '@tidings/telemetry';
import type { Registry } from 'prom-client';
import { codeOf } from './status.ts';

export type CallMeter = (path: string, code: status, startedAt: number) => void;

const help = {
  client: 'How long calls of other services took, repeats included, by the code that they ended with',
  server: 'How long calls took here, by the code that they were answered with',
} as const;

export function callMeter(side: keyof typeof help, metrics: Registry | undefined): CallMeter {
  if (!metrics) return () => undefined;
  const seconds = histogramIn(metrics, {
    name: `tidings_rpc_${side}_call_seconds`,
    help: help[side],
    labels: ['service', 'method', 'code'],
  });
  return (path, code, startedAt) => {
    const [, service = '', method = ''] = path.split('/');
    seconds.observe({ service, method, code: status[code] }, (performance.now() - startedAt) / 1000);
  };
}

export async function observedCall<T>(meter: CallMeter, path: string, call: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const options = { of: [currentTrace()], kind: 'client', attributes: systemOf } as const;
  try {
    const reply = await inSpan(path.slice(1), options, call);
    meter(path, status.OK, startedAt);
    return reply;
  } catch (error) {
    meter(path, codeOf(Fault.from(error)), startedAt);
    throw error;
  }
}

const systemOf = { 'rpc.system.name': 'grpc' };

export function observingCalls(metrics: Registry | undefined): ServerInterceptor {
  const meter = callMeter('server', metrics);
  return ({ path }, call) => {
    const startedAt = performance.now();
    const ended = Promise.withResolvers<status>();
    let isOver = false;
    let metadata: Metadata | undefined;
    const end = (code: status): void => {
      if (isOver) return;
      isOver = true;
      meter(path, code, startedAt);
      ended.resolve(code);
    };
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((received, next) => {
        metadata = received;
        next(received);
      })
      .withOnReceiveHalfClose((next) => {
        if (!isTracing()) return next();
        const options = { of: [traceOf(metadata?.getMap())], kind: 'server', attributes: systemOf } as const;
        void inSpan(path.slice(1), options, async (span) => {
          next();
          span.setAttributes({ 'rpc.response.status_code': status[await ended.promise] });
        });
      })
      // Always the last event: if no status was sent, the caller or the connection is gone.
      .withOnCancel(() => end(status.CANCELLED))
      .build();
    const responder = new ResponderBuilder()
      .withStart((next) => next(listener))
      .withSendStatus((sent, next) => {
        end(sent.code ?? status.OK);
        next(sent);
      })
      .build();
    return new ServerInterceptingCall(call, responder);
  };
}
