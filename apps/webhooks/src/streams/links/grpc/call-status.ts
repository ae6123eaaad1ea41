import type { IncomingHttpHeaders } from 'node:http2';

const names = [
  ...['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS'],
  ...['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED'],
  ...['INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'],
] as const;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function endedBy(headers: IncomingHttpHeaders): Error | undefined {
  const code = headers['grpc-status'];
  if (code === undefined) return undefined;
  if (code === '0') return new Error('the subscriber has ended the stream');
  const message = headers['grpc-message'];
  const name = names[Number(String(code))] ?? 'UNKNOWN';
  return new Error(`${String(code)} ${name}: ${typeof message === 'string' ? decoded(message) : ''}`);
}

export function refusedBy(headers: IncomingHttpHeaders): Error | undefined {
  const status = Number(headers[':status']);
  return endedBy(headers) ?? (status === 200 ? undefined : new Error(`the subscriber answered with HTTP ${status}`));
}
