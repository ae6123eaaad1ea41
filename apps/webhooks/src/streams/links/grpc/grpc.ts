import { type ClientHttp2Session, type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import { WebhookResponse } from '@tidings/rpc';
import type { OutgoingEvent } from '../../../events/outgoing-event.ts';
import type { GrpcEndpoint } from '../../../subscriptions/endpoint.ts';
import { ANSWER_MS } from '../../unacked.ts';
import { type Link, type LinkListener, type OpenLink, reportAnswer } from '../link-port.ts';
import { endedBy, refusedBy } from './call-status.ts';
import { ENCODINGS, framed, MessageReader } from './messages.ts';
import { authorityOf, openSession } from './session.ts';

const MAX_BUFFERED_BYTES = 256 * 1024;
const PIECE_BYTES = 64 * 1024;
const MAX_ANSWER_BYTES = 64 * 1024;
const CLOSING_MS = 1_000;

const headersTo = (endpoint: GrpcEndpoint) => ({
  ':method': 'POST',
  ':scheme': endpoint.tls ? 'https' : 'http',
  ':authority': authorityOf(endpoint),
  ':path': endpoint.method,
  te: 'trailers',
  'content-type': 'application/grpc',
  'user-agent': 'Tidings',
  'grpc-accept-encoding': ENCODINGS,
});

/** A frame of HTTP/2 carries any number of messages (ADR 55). */
class GrpcLink implements Link {
  readonly answerMs = ANSWER_MS;
  readonly #session: ClientHttp2Session;
  readonly #stream: ClientHttp2Stream;
  readonly #listener: LinkListener;
  readonly #answers = new MessageReader(MAX_ANSWER_BYTES);
  #unwritten: Uint8Array[] = [];
  #unwrittenBytes = 0;
  #isOpen = true;
  #failure: Error | undefined;

  constructor(session: ClientHttp2Session, endpoint: GrpcEndpoint, listener: LinkListener) {
    this.#session = session;
    this.#listener = listener;
    this.#stream = session.request(headersTo(endpoint), { endStream: false });
    session.on('error', (error: Error) => (this.#failure ??= error));
    this.#stream.on('response', (headers) => {
      const refusal = refusedBy(headers);
      if (refusal) this.#broken(refusal);
      else this.#answers.encoding = String(headers['grpc-encoding'] ?? 'identity');
    });
    this.#stream.on('data', (piece: Buffer) => this.#receive(piece));
    this.#stream.on('trailers', (headers: IncomingHttpHeaders) =>
      this.#broken(endedBy(headers) ?? new Error('the stream has no status')),
    );
    this.#stream.on('drain', () => {
      if (this.#isOpen) this.#listener.drained();
    });
    this.#stream.on('error', (error: Error) => (this.#failure ??= error));
    this.#stream.on('close', () => this.#broken(this.#failure ?? new Error('the connection has ended')));
  }

  get isWritable(): boolean {
    return this.#isOpen && this.#unwrittenBytes + this.#stream.writableLength < MAX_BUFFERED_BYTES;
  }

  send({ bytes }: OutgoingEvent): void {
    if (!this.#isOpen) return;
    if (this.#unwritten.length === 0) queueMicrotask(() => this.#flush());
    this.#unwritten.push(bytes);
    this.#unwrittenBytes += bytes.length;
    if (this.#unwrittenBytes >= PIECE_BYTES) this.#flush();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#unwritten = [];
    this.#stream.close(constants.NGHTTP2_CANCEL);
    this.#session.close();
    // A subscriber that reads nothing takes no frame either.
    setTimeout(() => this.#session.destroy(), CLOSING_MS).unref();
  }

  #flush(): void {
    if (!this.#isOpen || this.#unwritten.length === 0) return;
    this.#stream.write(framed(this.#unwritten));
    this.#unwritten = [];
    this.#unwrittenBytes = 0;
  }

  #receive(piece: Buffer): void {
    if (!this.#isOpen) return;
    try {
      for (const answer of this.#answers.push(piece)) {
        const response = WebhookResponse.decode(answer);
        if (this.#isOpen) reportAnswer(this.#listener, response);
      }
    } catch (error) {
      this.#broken(error as Error);
    }
  }

  #broken(error: Error): void {
    if (!this.#isOpen) return;
    this.close();
    this.#listener.broken(error);
  }
}

export const openGrpcLink: OpenLink<GrpcEndpoint> = async ({ endpoint, listener, signal }, deps) => {
  const session = await openSession(endpoint, deps, signal);
  try {
    return new GrpcLink(session, endpoint, listener);
  } catch (error) {
    session.destroy();
    throw error;
  }
};
