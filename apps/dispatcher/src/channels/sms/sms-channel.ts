import {
  definitions,
  isMms,
  localResults,
  type SendResult,
  type SmppCredential,
  smppCredentialIn,
  type SmsCredential,
  type TwilioCredential,
} from '@tidings/channels';
import type { ConnectionSettings, OpenLink, ProviderConnection } from '@tidings/http2';
import { type Clock, Platform } from '@tidings/kernel';
import { PayloadWriter } from '@tidings/messaging';
import type { AddressGuard } from '@tidings/runtime';
import type { KeyObject } from 'node:crypto';
import type { Channel, Job, Sender } from '../channel-port.ts';
import { Connections } from '../connections.ts';
import type { Credentials } from '../credentials/credential-cache.ts';
import { keyOfBatch } from '../message-key.ts';
import { type Prepared, PreparedCredentials } from '../prepared.ts';
import { type WorkQueue, queuedWork } from './work-queue.ts';
import type { ReceiptStore } from './receipt-store.ts';
import { type SmppBind, SmppBinds } from './smpp-binds.ts';
import { type Acceptance, SmppSender } from './smpp-sender.ts';
import { TwilioSender } from './twilio-sender.ts';

export interface SmsDeps {
  readonly credentials: Credentials;
  readonly reportKey: KeyObject;
  readonly clock: Clock;
  readonly connectBy: (open: OpenLink) => (settings: ConnectionSettings) => ProviderConnection;
  readonly connectHttp1: (settings: ConnectionSettings) => ProviderConnection;
  readonly ca?: readonly string[] | undefined;
  readonly addresses: AddressGuard;
  readonly receipts: ReceiptStore;
  readonly url?: string | undefined;
  /** Twilio reports nothing without it. */
  readonly publicUrl?: string | undefined;
  readonly onError: (error: unknown) => void;
}

const { sms } = definitions;

const hasMms = ({ batch }: Job): boolean => batch.languageNames.some((language) => isMms(batch, language));

type Of<Credential> = Prepared<Credential, undefined>;

export function smsChannel(deps: SmsDeps): Channel {
  const {
    credentials: stored,
    connectBy,
    connectHttp1,
    addresses,
    receipts,
    reportKey,
    clock,
    ca,
    onError,
    publicUrl,
  } = deps;
  const credentials = new PreparedCredentials<SmsCredential, undefined>({
    channel: 'sms',
    stored,
    definition: sms.credential,
    tokensOf: () => undefined,
    deployment: deps.url === undefined ? undefined : smppCredentialIn(deps.url),
  });
  const binds = new SmppBinds({ connectBy, addresses, receipts, onError });
  const connections = new Connections();
  const writer = new PayloadWriter();
  const acceptances = storing(receipts, onError);

  const bySmpp = (job: Job, prepared: Of<SmppCredential>): Sender | SendResult => {
    if (hasMms(job)) return localResults.mmsBySmpp;
    const bind = bindOf(binds, prepared);
    if ('category' in bind) return bind;
    return new SmppSender({
      job,
      prepared,
      bind,
      writer,
      receipts,
      acceptances,
      key: keyOfBatch(reportKey, job.batch),
    });
  };
  const byTwilio = (job: Job, prepared: Of<TwilioCredential>): Sender | SendResult => {
    const url = URL.parse(prepared.credential.url);
    if (!url || !/^https?:$/.test(url.protocol)) return localResults.serverAddressInvalid;
    if (!addresses.allowsHost(url.hostname)) return localResults.serverAddressPrivate;
    const settings = { url: url.origin, lookup: addresses.lookup, tls: ca ? { ca: [...ca] } : {} };
    const connection = connections.of(prepared.settings, job.lane, () => connectHttp1(settings));
    const key = keyOfBatch(reportKey, job.batch);
    return new TwilioSender({ job, prepared, connection, writer, clock, key, publicUrl });
  };
  const resumed = resume({ credentials, binds, receipts }).catch(onError);

  return {
    async open(job) {
      const prepared = await credentials.of(job.batch.credential);
      if ('category' in prepared) return prepared;
      const { credential } = prepared;
      return credential.transport === 'smpp'
        ? bySmpp(job, { ...prepared, credential })
        : byTwilio(job, { ...prepared, credential });
    },
    ttlSeconds: () => undefined,
    renew: (reference) => credentials.renew(reference),
    applications: () => credentials.applications(),
    forget(application) {
      credentials.forget(application);
      binds.forget(application);
      connections.forget(application);
    },
    async close() {
      await resumed;
      connections.close();
      // Nobody looks again for the counterpart of a part that is stored.
      await Promise.all([binds.close(), acceptances.drained()]);
    },
  };
}

const bindOf = (binds: SmppBinds, { settings, credential }: Of<SmppCredential>): SmppBind | SendResult =>
  settings.version === 0 ? binds.ofDeployment(credential) : binds.of(settings, credential);

const storing = (receipts: ReceiptStore, onError: SmsDeps['onError']): WorkQueue<Acceptance> =>
  queuedWork(async (items) => {
    try {
      await receipts.accepted(items);
    } catch (error) {
      onError(error);
    }
    for (const { ended } of items) ended?.accepted();
  });

interface Resuming {
  readonly credentials: PreparedCredentials<SmsCredential, undefined>;
  readonly binds: SmppBinds;
  readonly receipts: ReceiptStore;
}

/** Receipts of earlier messages may wait where nothing is sent any more. */
async function resume({ credentials, binds, receipts }: Resuming): Promise<void> {
  for (const application of await receipts.expecting()) {
    const prepared = await credentials.of({ application, platform: Platform.Sms, version: 0 });
    if ('category' in prepared || prepared.credential.transport !== 'smpp') continue;
    const bind = bindOf(binds, { ...prepared, credential: prepared.credential });
    if ('connection' in bind) bind.connection.ready();
  }
}
