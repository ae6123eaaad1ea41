import { Fault } from '@tidings/kernel';
import type { Endpoint } from '../../subscriptions/endpoint.ts';
import { openGrpcLink } from './grpc.ts';
import { openKafkaLink } from './kafka.ts';
import type { LinkDeps, LinkRequest, Link } from './link-port.ts';

const notServed: Readonly<Partial<Record<Endpoint['kind'], string>>> = {
  http: 'http:// and https:// are not served yet',
};

/** Refuses kinds of endpoints without a transport. @throws Fault `argument` */
export function checkServed({ kind }: Endpoint): void {
  const refusal = notServed[kind];
  if (refusal) throw Fault.argument(`endpoint: ${refusal}`);
}

/** Opens a link over the transport of the endpoint. @throws the reason why the subscriber cannot be reached */
export async function openLink(request: LinkRequest<Endpoint>, deps: LinkDeps): Promise<Link> {
  const { endpoint } = request;
  checkServed(endpoint);
  switch (endpoint.kind) {
    case 'grpc':
      return openGrpcLink({ ...request, endpoint }, deps);
    case 'kafka':
      return openKafkaLink({ ...request, endpoint }, deps);
    case 'http':
    case 'dial-in':
      throw Fault.bug(`no transport for ${endpoint.kind}`);
  }
}
