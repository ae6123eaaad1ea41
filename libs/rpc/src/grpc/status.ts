import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { Fault, type FaultKind } from '@tidings/kernel';
import { faultOfView, viewOfFault } from '../fault-view.ts';
import { FaultView } from '../generated/tidings/rpc/v1/faults.ts';

/** gRPC's own texts cannot hold every character. */
const FAULT = 'tidings-fault-bin';

const codes: Readonly<Record<FaultKind, status>> = {
  malformed: status.INVALID_ARGUMENT,
  argument: status.INVALID_ARGUMENT,
  unauthorized: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  notFound: status.NOT_FOUND,
  conflict: status.ABORTED,
  tooLarge: status.OUT_OF_RANGE,
  throttled: status.RESOURCE_EXHAUSTED,
  unavailable: status.UNAVAILABLE,
  bug: status.INTERNAL,
};

export const codeOf = ({ kind }: Fault): status => codes[kind];

export function statusOfFault(fault: Fault): Pick<ServiceError, 'code' | 'details' | 'metadata'> {
  const metadata = new Metadata();
  metadata.set(FAULT, Buffer.from(FaultView.encode(viewOfFault(fault)).finish()));
  return { code: codes[fault.kind], details: fault.kind, metadata };
}

export function faultOfStatus({ metadata }: ServiceError): Fault | undefined {
  const [bytes] = metadata.get(FAULT);
  return Buffer.isBuffer(bytes) ? faultOfView(FaultView.decode(bytes)) : undefined;
}

/** grpc-js's texts for failures before a server accepted the call; after others it may have been executed. */
const NEVER_TAKEN = /^(No connection established|Stream refused by server|Failed to start HTTP\/2 stream)/;

export const isNeverTaken = ({ details }: ServiceError): boolean => NEVER_TAKEN.test(details);

/** Another replica, or the same one later, may answer. No call is cancelled here. */
export const isConnectionLost = (error: ServiceError): boolean =>
  error.code === status.UNAVAILABLE || error.code === status.CANCELLED || isNeverTaken(error) || isReset(error);

/** A stream without a status: its connection broke, or its server ended. */
const isReset = ({ code, details }: ServiceError): boolean =>
  code === status.INTERNAL && details.startsWith('Received RST_STREAM');

export function faultOfFailure(error: ServiceError, where: string, effect?: Fault['effect']): Fault {
  const internal = `${where}: ${error.details}`;
  // An unknown method belongs to a newer version that is being rolled out.
  const isOlder = error.code === status.UNIMPLEMENTED;
  // Keys differ during a change.
  const isRefused = error.code === status.UNAUTHENTICATED;
  const mayPass = isConnectionLost(error) || error.code === status.DEADLINE_EXCEEDED || isOlder || isRefused;
  return mayPass
    ? new Fault('unavailable', 'A service does not answer', { internal, cause: error, effect })
    : Fault.bug(internal, error);
}
