import type { KeyObject } from 'node:crypto';
import { type ChannelDefinition, inLanguage, type SendResult } from '@tidings/channels';
import type { ProviderConnection } from '@tidings/http2';
import type { Clock } from '@tidings/kernel';
import { PayloadWriter } from '@tidings/messaging';
import type { Channel, Job, Sender } from './channel-port.ts';
import { Connections } from './connections.ts';
import type { Credentials } from './credentials/credential-cache.ts';
import { type Prepared, PreparedCredentials } from './prepared.ts';

export interface SenderDeps<Credential, Tokens> {
  readonly job: Job;
  readonly prepared: Prepared<Credential, Tokens>;
  readonly connection: ProviderConnection;
  readonly writer: PayloadWriter;
  readonly reportKey: KeyObject;
  readonly clock: Clock;
}

export interface Http2ChannelOptions<Credential, Tokens> {
  readonly channel: string;
  readonly definition: Pick<ChannelDefinition<Credential>, 'credential' | 'ttlSecondsOf'>;
  readonly credentials: Credentials;
  readonly reportKey: KeyObject;
  readonly clock: Clock;
  readonly unsuitable?: (credential: Credential, batch: Job['batch']) => SendResult | undefined;
  readonly tokensOf: (credential: Credential) => Tokens;
  readonly connect: (credential: Credential) => ProviderConnection;
  readonly sender: (deps: SenderDeps<Credential, Tokens>) => Sender;
}

/** Senders are not shared between channels: their code runs once per device. */
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
