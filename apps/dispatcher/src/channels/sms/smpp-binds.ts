import {
  connectionResults,
  localResults,
  type SendResult,
  type SmppCredential,
  smppReceipt,
  smppResult,
  readShortMessage,
  Status,
} from '@tidings/channels';
import type { ConnectionSettings, OpenLink, ProviderConnection } from '@tidings/http2';
import type { AddressGuard } from '@tidings/runtime';
import type { SmppReceipt } from '@tidings/channels';
import { isIPv6 } from 'node:net';
import type { Throttler } from '../../throttle/throttles.ts';
import { connectionResult } from '../connections.ts';
import { queuedWork } from './work-queue.ts';
import type { ReceiptStore } from './receipt-store.ts';
import { type DeliveryLink, openSmppLink, type SmppBind as LinkBind } from './smpp-link.ts';

export interface SmppBindsDeps {
  readonly connectBy: (open: OpenLink) => (settings: ConnectionSettings) => ProviderConnection;
  readonly addresses: AddressGuard;
  readonly receipts: ReceiptStore;
  readonly onError: (error: unknown) => void;
}

/** All lanes share it: many SMSCs allow only a few binds. */
export interface SmppBind {
  readonly connection: ProviderConnection;
  readonly account: string;
  refusal(): SendResult | undefined;
  failure(): SendResult;
  /** Resolves when no receipt is being stored. */
  stored(): Promise<void>;
}

interface Entry {
  readonly version: number;
  readonly bind: SmppBind;
}

const REOPEN_MS = 5_000;
const DEPLOYMENT = 'deployment';
const REFUSED_MS = 60_000;

function urlOf({ host, port }: SmppCredential): string | undefined {
  const url = URL.parse(`smpp://${isIPv6(host) ? `[${host}]` : host}:${port}`);
  return url && url.hostname !== '' && url.pathname === '' && url.username === '' ? url.href : undefined;
}

export class SmppBinds {
  readonly #deps: SmppBindsDeps;
  readonly #entries = new Map<string, Entry>();
  readonly #reopening: NodeJS.Timeout;

  constructor(deps: SmppBindsDeps) {
    this.#deps = deps;
    this.#reopening = setInterval(() => this.#reopen(), REOPEN_MS).unref();
  }

  of({ reference, version }: Throttler, credential: SmppCredential): SmppBind | SendResult {
    const entry = this.#entries.get(reference);
    if (entry?.version === version) return entry.bind;
    const url = urlOf(credential);
    if (url === undefined) return localResults.serverAddressInvalid;
    if (!this.#deps.addresses.allowsHost(credential.host)) return localResults.serverAddressPrivate;
    entry?.bind.connection.renew(entry.bind.connection.epoch);
    const bind = this.#open(url, credential, this.#deps.addresses.lookup);
    this.#entries.set(reference, { version, bind });
    return bind;
  }

  ofDeployment(credential: SmppCredential): SmppBind | SendResult {
    const existing = this.#entries.get(DEPLOYMENT);
    if (existing) return existing.bind;
    const url = urlOf(credential);
    if (url === undefined) return localResults.serverAddressInvalid;
    const bind = this.#open(url, credential, undefined);
    this.#entries.set(DEPLOYMENT, { version: 0, bind });
    return bind;
  }

  forget(application: string): void {
    for (const [reference, { bind }] of this.#entries) {
      if (!reference.startsWith(`${application}/`)) continue;
      this.#entries.delete(reference);
      bind.connection.close();
    }
  }

  /** Receipts that are being stored remain unanswered, so the SMSC delivers them again. */
  async close(): Promise<void> {
    clearInterval(this.#reopening);
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const { bind } of entries) bind.connection.close();
    await Promise.all(entries.map(({ bind }) => bind.stored()));
  }

  #open(
    url: string,
    { host, port, systemId, password }: SmppCredential,
    lookup: ConnectionSettings['lookup'],
  ): SmppBind {
    const { connectBy } = this.#deps;
    const account = `${host}:${port}/${systemId}`;
    let refusedBy: SendResult | undefined;
    const { received, stored } = this.#receiver(account);
    let accepted = 0;
    const open: OpenLink = (settings, events) => {
      // The next attempt may meet no SMSC, so a refusal counts once (R-P1).
      refusedBy = undefined;
      let isAccepted = false;
      const bound = (status: number): void => {
        isAccepted = status === 0;
        if (isAccepted) accepted++;
        // An SMSC that has another bind refuses this one because of its limit.
        else if (accepted === 0) refusedBy = smppResult(status);
      };
      const closed = (error?: Error): void => {
        if (isAccepted) accepted--;
        events.closed(error);
      };
      return openSmppLink({ systemId, password, bound, received })(settings, { ...events, closed });
    };
    const connection = connectBy(open)({ url, lookup });
    return {
      connection,
      account,
      stored,
      refusal: () => (refusedBy?.category === 'INVALID_CONFIGURATION' ? refusedBy : undefined),
      failure() {
        const failure = refusedBy ? { ...refusedBy, then: { do: 'final' as const } } : connectionResult(connection);
        return failure === connectionResults.private_address ? localResults.serverAddressPrivate : failure;
      },
    };
  }

  #receiver(account: string): Pick<LinkBind, 'received'> & Pick<SmppBind, 'stored'> {
    const { receipts, onError } = this.#deps;
    interface Received {
      readonly receipt: SmppReceipt;
      readonly link: DeliveryLink;
      readonly sequence: number;
    }
    const store = queuedWork<Received>(async (items) => {
      let status: number = Status.ok;
      try {
        await receipts.received(
          account,
          items.map(({ receipt }) => receipt),
        );
      } catch (error) {
        // The SMSC delivers them again.
        status = Status.temporaryError;
        onError(error);
      }
      for (const { link, sequence } of items) link.answerDelivery(sequence, status);
    });
    return {
      received(body, link, sequence) {
        const receipt = smppReceipt(readShortMessage(body));
        if (receipt) store.add({ receipt, link, sequence });
        else link.answerDelivery(sequence, Status.ok);
      },
      stored: () => store.drained(),
    };
  }

  #reopen(): void {
    const now = performance.now();
    for (const { bind } of this.#entries.values()) {
      const failedAt = bind.connection.lastFailure()?.at ?? -Infinity;
      if (bind.refusal() === undefined || now - failedAt > REFUSED_MS) bind.connection.ready();
    }
  }
}
