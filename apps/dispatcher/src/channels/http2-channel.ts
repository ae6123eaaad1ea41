import type { KeyObject } from 'node:crypto';
import { type ChannelDefinition, inLanguage, type SendResult } from '@tidings/channels';
import type { ProviderConnection } from '@tidings/http2';
import type { Clock } from '@tidings/kernel';
import { PayloadWriter } from '@tidings/messaging';
import type { Channel, Job, Sender } from './channel-port.ts';
import { Connections } from './connections.ts';
import type { Credentials } from './credentials/credential-cache.ts';
import { type Prepared, PreparedCredentials } from './prepared.ts';

/** The collaborators of the sender of a job. */
export interface SenderDeps<Credential, Tokens> {
  readonly job: Job;
  readonly prepared: Prepared<Credential, Tokens>;
  readonly connection: ProviderConnection;
  /** Shared by the senders of a channel: a push is written as soon as its payload is complete. */
  readonly writer: PayloadWriter;
  /** Signs statistics hashes. */
  readonly reportKey: KeyObject;
  readonly clock: Clock;
}

export interface Http2ChannelOptions<Credential, Tokens> {
  /** The name of the channel. */
  readonly channel: string;
  readonly definition: Pick<ChannelDefinition<Credential>, 'credential' | 'ttlSecondsOf'>;
  readonly credentials: Credentials;
  readonly reportKey: KeyObject;
  readonly clock: Clock;
  /** The result of a job that the provider would not accept with this credential. @default none */
  readonly unsuitable?: (credential: Credential, batch: Job['batch']) => SendResult | undefined;
  /** Creates the tokens of a credential, shared by all its senders. */
  readonly tokensOf: (credential: Credential) => Tokens;
  /** Opens a connection for a credential and a lane. */
  readonly connect: (credential: Credential) => ProviderConnection;
  readonly sender: (deps: SenderDeps<Credential, Tokens>) => Sender;
}

/**
 * A channel whose provider takes one request per push over HTTP/2. Credentials are opened once per version, and each has one connection per lane.
 * The senders write the pushes, and are not shared between channels: their code runs once per device.
 */
export function http2Channel<Credential, Tokens>(options: Http2ChannelOptions<Credential, Tokens>): Channel {
  const { channel, definition, credentials: stored, reportKey, clock, tokensOf, connect, sender } = options;
  const connections = new Connections();
  const writer = new PayloadWriter();
  const credentials = new PreparedCredentials({
    channel,
    stored,
    tokensOf,
    definition: definition.credential,
  });
  return {
    async open(job) {
      const prepared = await credentials.of(job.batch.credential);
      if ('category' in prepared) return prepared;
      const refused = options.unsuitable?.(prepared.credential, job.batch);
      if (refused) return refused;
      const connection = connections.of(prepared.settings, job.lane, () => connect(prepared.credential));
      return sender({ job, prepared, connection, writer, clock, reportKey });
    },
    ttlSeconds: (batch, language) => definition.ttlSecondsOf(inLanguage(batch, language)),
    renew: (reference) => credentials.renew(reference),
    applications: () => credentials.applications(),
    forget(application) {
      credentials.forget(application);
      connections.forget(application);
    },
    close: () => connections.close(),
  };
}
