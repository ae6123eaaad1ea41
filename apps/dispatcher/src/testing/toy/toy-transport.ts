import { type ChannelPayload, localResults, type SendResult } from '@tidings/channels';
import { columnOf } from '@tidings/delivery';
import type { OutgoingRequest } from '@tidings/http2';
import { opened, connectionResult } from '../../channels/connections.ts';
import { type ExchangeContext, PushExchange } from '../../channels/push-exchange.ts';
import { keyOfBatch } from '../../channels/message-key.ts';
import type { Channel, Sender } from '../../channels/channel-port.ts';
import { http2Channel, type SenderDeps } from '../../channels/http2-channel.ts';
import type { TransportDeps } from '../../channels/transports.ts';
import { TOY, toy, type ToyCredential } from './toy-definition.ts';

export const toyTransport = ({ connect, ...deps }: TransportDeps, url: () => string): Channel =>
  http2Channel<ToyCredential, undefined>({
    ...deps,
    channel: TOY,
    definition: toy,
    tokensOf: () => undefined,
    connect: () => connect({ url: url(), tls: {} }),
    sender: toySender,
  });

function toySender({
  job: { batch, columns },
  prepared,
  connection,
  writer,
  reportKey,
  clock,
}: SenderDeps<ToyCredential, undefined>): Sender {
  const { client, secret } = prepared.credential;
  const request: OutgoingRequest = { path: '/send', shared: ['authorization', `Toy ${client}:${secret}`], own: [] };
  const key = keyOfBatch(reportKey, batch);
  const context: ExchangeContext = {
    connection,
    credential: '',
    refused: '',
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
    failure: () => connectionResult(connection),
    push(device, tag, deadline, listener): 'written' | 'busy' | SendResult {
      if (!connection.ready()) return 'busy';
      const { payload, limit } = payloadFor(columns.languages[device]!);
      const body = writer.write(payload, columns, device, limit);
      if (!toy.fits(body, limit)) return localResults.payloadTooLarge;
      const exchange = new PushExchange(tag, deadline, listener, context);
      const own = columns.columnNames.flatMap((name, column) => [
        name.toLowerCase(),
        columnOf(columns, device, column),
      ]);
      return connection.request({ ...request, own }, body, exchange) ? 'written' : 'busy';
    },
    whenReady: (run) => connection.whenReady(run),
    downUntil: () => connection.downUntil(),
    refresh: async () => undefined,
  };
}
