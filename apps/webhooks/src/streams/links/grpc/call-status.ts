import type { IncomingHttpHeaders } from 'node:http2';

/** The codes of gRPC by number. */
const names = [
  ...['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS'],
  ...['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED'],
  ...['INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'],
] as const;

/** The text of a status, which is percent-encoded; one that is not remains as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Why a call has ended, by the headers that carry its status; undefined if they carry none. */
export function endedBy(headers: IncomingHttpHeaders): Error | undefined {
  const code = headers['grpc-status'];
  if (code === undefined) return undefined;
  if (code === '0') return new Error('the subscriber has ended the stream');
  const message = headers['grpc-message'];
  const name = names[Number(String(code))] ?? 'UNKNOWN';
  return new Error(`${String(code)} ${name}: ${typeof message === 'string' ? decoded(message) : ''}`);
}

/** Why an answer is none of gRPC, or is the end of the call; undefined if messages follow. */
export function refusedBy(headers: IncomingHttpHeaders): Error | undefined {
  const status = Number(headers[':status']);
  return endedBy(headers) ?? (status === 200 ? undefined : new Error(`the subscriber answered with HTTP ${status}`));
}
