import { type ChannelPayload, localResults, type SendResult } from '@tidings/channels';
import type { OutgoingRequest, ProviderConnection } from '@tidings/http2';
import { PayloadWriter } from '@tidings/messaging';
import { Connections, opened, troubleOf } from '../../channels/connections.ts';
import { type ExchangeContext, PushExchange } from '../../channels/push-exchange.ts';
import { keyOfBatch } from '../../channels/message-key.ts';
import type { Channel, Job, Sender } from '../../channels/channel-port.ts';
import { type Prepared, PreparedCredentials } from '../../channels/prepared.ts';
import type { TransportParts } from '../../channels/transports.ts';
import { TOY, toy, type ToyCredential } from './toy-definition.ts';

/** Writes pushes to the toy provider. @param url where it is, asked when a connection is opened */
export function toyTransport(parts: TransportParts, url: () => string): Channel {
  const connections = new Connections();
  const writer = new PayloadWriter();
  const credentials = new PreparedCredentials({
    ...{ channel: TOY, stored: parts.credentials, definition: toy.credential },
    tokensOf: () => undefined,
  });
  return {
    async open(job) {
      const prepared = await credentials.of(job.batch.credential);
      if ('category' in prepared) return prepared;
      const connection = connections.of(prepared.settings, job.lane, () => parts.connect({ url: url(), tls: {} }));
      return toySender(parts, { job, prepared, connection, writer });
    },
    ttlSeconds: ({ content }) => toy.ttlSecondsOf(content),
    applications: () => credentials.applications(),
    forget(application) {
      credentials.forget(application);
      connections.forget(application);
    },
    close: () => connections.close(),
  };
}

interface SenderParts {
  readonly job: Job;
  readonly prepared: Prepared<ToyCredential, undefined>;
  readonly connection: ProviderConnection;
  readonly writer: PayloadWriter;
}

function toySender(
  { clock, reportKey }: TransportParts,
  { job: { batch, columns }, prepared, connection, writer }: SenderParts,
): Sender {
  const { client, secret } = prepared.credential;
  const request: OutgoingRequest = { path: '/send', shared: ['authorization', `Toy ${client}:${secret}`], own: [] };
  const key = keyOfBatch(reportKey, batch);
  const context: ExchangeContext = {
    ...{ connection, credential: '', refused: '' },
    now: () => clock.now(),
    refusal: (status, body) => toy.refusal(status, body),
  };
  const payloads = new Map<number, ChannelPayload>();
  const payloadFor = (language: number): ChannelPayload => {
    const payload = payloads.get(language) ?? toy.compile(batch, batch.languageNames[language] ?? '', key);
    payloads.set(language, payload);
    return payload;
  };
  return {
    credential: prepared.fingerprint,
    settings: prepared.settings,
    async prepare() {
      await opened(connection);
      return undefined;
    },
    trouble: () => troubleOf(connection),
    push(device, tag, deadline, listener): 'written' | 'busy' | SendResult {
      if (!connection.ready()) return 'busy';
      const { payload, limit } = payloadFor(columns.languages[device]!);
      const body = writer.write(payload, columns, device, limit);
      if (!toy.fits(body, limit)) return localResults.payloadTooLarge;
      const exchange = new PushExchange(tag, deadline, listener, context);
      return connection.request(request, body, exchange) ? 'written' : 'busy';
    },
    whenReady: (run) => connection.whenReady(run),
    downUntil: () => connection.downUntil(),
    // A client and its secret are all that there is.
    refresh: async () => undefined,
  };
}
