import { hkdfSync, timingSafeEqual } from 'node:crypto';
import {
  type ChannelCredentials,
  credentials,
  Metadata,
  ResponderBuilder,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from '@grpc/grpc-js';
import { Fault } from '@tidings/kernel';
import { masterKeyId } from '@tidings/runtime';

export interface RpcTls {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** During a rotation, one master key in common suffices. */
export type RpcAccess = { readonly tls: RpcTls } | { readonly masterKeys: readonly Uint8Array[] };

const KEY = 'tidings-key';
const KEY_BYTES = 32;
const MAX_KEYS = 2;
const EXPECTED = 'tidings-master-key-id';

const sharedKey = (masterKey: Uint8Array): string =>
  Buffer.from(hkdfSync('sha256', masterKey, '', 'tidings/rpc', KEY_BYTES)).toString('hex');

export interface ClientAccess {
  readonly credentials: ChannelCredentials;
  readonly keys: string | undefined;
}

export const clientAccess = (access: RpcAccess): ClientAccess => {
  if ('masterKeys' in access)
    return { credentials: credentials.createInsecure(), keys: access.masterKeys.map(sharedKey).join() };
  const { cert, key, ca } = access.tls;
  return { credentials: credentials.createSsl(Buffer.from(ca), Buffer.from(key), Buffer.from(cert)), keys: undefined };
};

export const addKeys = (metadata: Metadata, { keys }: ClientAccess): void => {
  if (keys !== undefined) metadata.set(KEY, keys);
};

export interface ServerAccess {
  readonly credentials: ServerCredentials;
  readonly interceptors: readonly ServerInterceptor[];
}

export const serverAccess = (access: RpcAccess): ServerAccess => {
  if ('masterKeys' in access)
    return { credentials: ServerCredentials.createInsecure(), interceptors: [requiringKey(access.masterKeys)] };
  const { cert, key, ca } = access.tls;
  const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(cert) };
  return { credentials: ServerCredentials.createSsl(Buffer.from(ca), [pair], true), interceptors: [] };
};

function requiringKey(masterKeys: readonly Uint8Array[]): ServerInterceptor {
  const keys = masterKeys.map((masterKey) => Buffer.from(sharedKey(masterKey)));
  const isKey = (sent: string): boolean => {
    const bytes = Buffer.from(sent);
    return keys.some((key) => key.length === bytes.length && timingSafeEqual(key, bytes));
  };
  const hasKey = (metadata: Metadata): boolean =>
    metadata.get(KEY).some((sent) => sent.toString().split(',', MAX_KEYS).some(isKey));
  const refusal = new Metadata();
  refusal.set(EXPECTED, masterKeyId(masterKeys[0]!));
  return (_, call) => {
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((received, next) => {
        if (hasKey(received)) {
          received.remove(KEY);
          return next(received);
        }
        call.sendStatus({
          code: status.UNAUTHENTICATED,
          details: 'The call has no key of this deployment',
          metadata: refusal,
        });
      })
      .build();
    return new ServerInterceptingCall(call, new ResponderBuilder().withStart((next) => next(listener)).build());
  };
}

export function expectedMasterKeyId(error: unknown): string | undefined {
  const { cause } = Fault.from(error);
  if (!(cause instanceof Error && 'metadata' in cause && cause.metadata instanceof Metadata)) return undefined;
  return cause.metadata.get(EXPECTED)[0]?.toString();
}
