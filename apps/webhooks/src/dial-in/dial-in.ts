import { withVariableName } from '@tidings/runtime';
import { admission, type AdmissionDeps } from './admission.ts';
import { DialledStreams, type DialledStreamsDeps } from './dialled-streams.ts';
import { openEventsServer } from './events-server.ts';

export interface DialInDeps extends Omit<DialledStreamsDeps, 'admit'>, AdmissionDeps {
  readonly subscriptions: DialledStreamsDeps['subscriptions'];
  readonly events: { readonly host: string; readonly port: number };
}

export interface DialIn extends Pick<DialledStreams, 'wake' | 'changed' | 'due' | 'close'> {
  readonly port: number;
}

export async function openDialIn({ events, tokens, applications, ...deps }: DialInDeps): Promise<DialIn> {
  const { subscriptions, clock, log } = deps;
  const streams = new DialledStreams({ ...deps, admit: admission({ tokens, applications, subscriptions, clock }) });
  const serve = openEventsServer({
    ...events,
    log,
    flooded: () => deps.metrics.flooded(),
    serve: (call) => void streams.dial(call),
  });
  const server = await serve.catch(withVariableName({ ...events, variable: 'EVENTS_PORT' }));
  log.info({ host: events.host, port: server.port }, 'event streams can be dialled');
  return {
    port: server.port,
    wake: (name) => streams.wake(name),
    changed: () => streams.changed(),
    due: () => streams.due(),
    async close() {
      // Calls end with a status before their connections do.
      await streams.close();
      await server.close();
    },
  };
}
