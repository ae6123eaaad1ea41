import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { WebhookRequest, WebhookResponse } from '@tidings/rpc';

/** G9's subscriber: acknowledges every event at once. Prints its port. */
const server = new Server();
server.register<WebhookRequest, WebhookResponse>(
  '/WebhookService/StreamWebhookEvents',
  (stream: ServerDuplexStream<WebhookRequest, WebhookResponse>) => {
    stream.on('data', ({ uuid }: WebhookRequest) => stream.write({ status: 'ok', message: '', uuid }));
    stream.on('end', () => stream.end());
    // A client that closes its stream is no problem.
    stream.on('error', () => undefined);
  },
  (response) => Buffer.from(WebhookResponse.encode(response).finish()),
  (bytes) => WebhookRequest.decode(bytes),
  'bidi',
);
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(JSON.stringify({ ready: port }));
});
