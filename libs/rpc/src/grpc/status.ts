import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { Fault, type FaultKind } from '@tidings/kernel';
import { faultOfView, viewOfFault } from '../fault-view.ts';
import { FaultView } from '../generated/tidings/rpc/v1/registry.ts';

/** Where a Fault travels in a reply: gRPC's own texts may not hold every character. */
const FAULT = 'tidings-fault-bin';

/** What others than ourselves see of a Fault, such as proxies and their metrics. */
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

/** The code that callers of other makes see of a Fault. */
export const codeOf = ({ kind }: Fault): status => codes[kind];

/** A Fault as the status of a reply: its kind and public text, whole. */
export function statusOfFault(fault: Fault): Pick<ServiceError, 'code' | 'details' | 'metadata'> {
  const metadata = new Metadata();
  metadata.set(FAULT, Buffer.from(FaultView.encode(viewOfFault(fault)).finish()));
  return { code: codes[fault.kind], details: fault.kind, metadata };
}

/** The Fault that the service answered; undefined where the answer did not come from it. */
export function faultOfStatus({ metadata }: ServiceError): Fault | undefined {
  const [bytes] = metadata.get(FAULT);
  return Buffer.isBuffer(bytes) ? faultOfView(FaultView.decode(bytes)) : undefined;
}

/** How grpc-js words what happened before a server took the call on; what is not among it counts as perhaps carried out. */
const NEVER_TAKEN = /^(No connection established|Stream refused by server|Failed to start HTTP\/2 stream)/;

export const isNeverTaken = ({ details }: ServiceError): boolean => NEVER_TAKEN.test(details);

/** True where the connection failed and not the call: another replica, or the same one later, may answer. Nobody here cancels a call. */
export const isConnectionLost = (error: ServiceError): boolean =>
  error.code === status.UNAVAILABLE || error.code === status.CANCELLED || isNeverTaken(error) || isReset(error);

/** A stream that ended without a status: its connection broke, or its server was ended. */
const isReset = ({ code, details }: ServiceError): boolean =>
  code === status.INTERNAL && details.startsWith('Received RST_STREAM');

/** A call that the service did not answer, as a Fault. @param effect of the call and of those before it that it repeats */
export function faultOfFailure(error: ServiceError, where: string, effect?: Fault['effect']): Fault {
  const internal = `${where}: ${error.details}`;
  // A method that is not known there came with a version that is on its way.
  const isOlder = error.code === status.UNIMPLEMENTED;
  // Keys differ while they are changed.
  const isRefused = error.code === status.UNAUTHENTICATED;
  const mayPass = isConnectionLost(error) || error.code === status.DEADLINE_EXCEEDED || isOlder || isRefused;
  return mayPass
    ? new Fault('unavailable', 'A service does not answer', { internal, cause: error, effect })
    : Fault.bug(internal, error);
}
